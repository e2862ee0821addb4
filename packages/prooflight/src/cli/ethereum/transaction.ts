import { hashOf } from "../../ethereum/options.js";
import { printVerdict } from "../chain.js";
import { EXIT, print, printRows, type Row } from "../output.js";
import { text } from "../text.js";
import { follow, type FollowOptions } from "./follow.js";
import { blockName, bytesText, ether, gwei, printAnswer, printBasis } from "./show.js";

/** `prooflight eth tx HASH`: prints a verified transaction. Returns the exit code. */
export async function transaction(
  hash: string,
  options: FollowOptions,
  json: boolean,
): Promise<number> {
  const asked = hashOf(hash, "hash");
  const following = await follow(options);
  const { client } = following;
  const found = await client.transaction(asked);
  const block = await client.block(found.blockHash);
  if (json) {
    printAnswer(following, { transaction: { ...found, blockTimestamp: block.timestamp } });
    return EXIT.ok;
  }
  const { maxPriorityFeePerGas } = found;
  const rows: Row[] = [
    ["hash", found.hash],
    ["from", found.from],
    ["to", found.to ?? "none: it creates a contract"],
    ["value", ether(found.value)],
    ["nonce", String(found.nonce)],
    ["gas limit", String(found.gas)],
    ["price", `${gwei(found.effectiveGasPrice)} for a unit of gas`],
    ["at most", gwei(found.maxFeePerGas)],
  ];
  if (maxPriorityFeePerGas !== undefined)
    rows.push(["tip", `at most ${gwei(maxPriorityFeePerGas)}`]);
  rows.push(["input", bytesText(found.input)], ["block", found.blockHash]);
  printVerdict(text`transaction ${found.transactionIndex} of ${blockName(block)}`);
  print();
  printRows(rows);
  printBasis(following, "all transactions of the block, and the sender's signature");
  return EXIT.ok;
}
