import { printVerdict } from "../chain.js";
import { EXIT, print, printRows, type Row } from "../output.js";
import { blockOf, follow, type FollowOptions } from "./follow.js";
import { blockName, gwei, printAnswer, printBasis } from "./show.js";

/** `prooflight eth block [BLOCK]`: prints a verified header. Returns the exit code. */
export async function block(
  [name]: readonly string[],
  options: FollowOptions,
  json: boolean,
): Promise<number> {
  const at = blockOf(name, "BLOCK");
  const following = await follow(options);
  const header = await following.client.block(at);
  if (json) {
    printAnswer(following, { block: header });
    return EXIT.ok;
  }
  const { hash, parentHash, miner, stateRoot, transactionsRoot, receiptsRoot } = header;
  const { gasUsed, gasLimit, baseFeePerGas, blobGasUsed } = header;
  const rows: Row[] = [
    ["hash", hash],
    ["parent", parentHash],
    ["fees to", miner],
    ["gas used", `${gasUsed} of ${gasLimit}`],
  ];
  if (baseFeePerGas !== undefined) rows.push(["base fee", gwei(baseFeePerGas)]);
  if (blobGasUsed !== undefined) rows.push(["blob gas", String(blobGasUsed)]);
  rows.push(["state", stateRoot], ["transactions", transactionsRoot], ["receipts", receiptsRoot]);
  printVerdict(blockName(header));
  print();
  printRows(rows);
  const isHead = header.number === following.head.block.number;
  printBasis(
    following,
    isHead ? "its hash in the signed head" : "its hash in the history of the head",
  );
  return EXIT.ok;
}
