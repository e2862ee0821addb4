import { hashOf } from "../../ethereum/options.js";
import type { TransactionReceipt } from "../../ethereum/transactions.js";
import { printVerdict } from "../chain.js";
import { EXIT, print, printRows, type Row } from "../output.js";
import { bold, green, red, type SafeText, text } from "../text.js";
import { follow, type FollowOptions } from "./follow.js";
import { blockName, ether, gwei, logRows, printAnswer, printBasis } from "./show.js";

/** The most logs that are shown. `--json` prints all. */
const SHOWN = 50;

/** `prooflight eth receipt HASH`: prints a verified receipt with its logs. Returns the exit code. */
export async function receipt(
  hash: string,
  options: FollowOptions,
  json: boolean,
): Promise<number> {
  const asked = hashOf(hash, "hash");
  const following = await follow(options);
  const { client } = following;
  const found = await client.receipt(asked);
  const block = await client.block(found.blockHash);
  if (json) {
    printAnswer(following, { receipt: { ...found, blockTimestamp: block.timestamp } });
    return EXIT.ok;
  }
  const { gasUsed, effectiveGasPrice, contractAddress, logs } = found;
  const rows: Row[] = [
    ["hash", found.transactionHash],
    ["status", statusText(found)],
    ["from", found.from],
    ["to", found.to ?? "none: it creates a contract"],
    ...(contractAddress ? [["contract", contractAddress] satisfies Row] : []),
    ["gas used", `${gasUsed} at ${gwei(effectiveGasPrice)}`],
    ["fee", ether(gasUsed * effectiveGasPrice)],
    ["block", found.blockHash],
  ];
  printVerdict(text`the receipt of transaction ${found.transactionIndex} of ${blockName(block)}`);
  print();
  printRows(rows);
  print();
  const count = logs.length === 1 ? "1 log" : `${logs.length} logs`;
  print(text`  ${bold(logs.length === 0 ? "No logs" : count)}`);
  for (const log of logs.slice(0, SHOWN)) {
    print();
    printRows([["index", String(log.logIndex)], ...logRows(log)], "    ");
  }
  if (logs.length > SHOWN) print(`    and ${logs.length - SHOWN} more; --json prints all`);
  printBasis(following, "all transactions and receipts of the block");
  return EXIT.ok;
}

function statusText({ status }: TransactionReceipt): SafeText {
  if (status === undefined) return text`none: it is from before Byzantium`;
  return status === "success" ? green("success") : red("reverted");
}
