/** Shared by the commands about Ethereum: how verdicts, amounts and logs are shown. */

import type { BlockHeader, Log } from "../../ethereum.js";
import { timeOf } from "../chain.js";
import { print, printJson, printRows, type Row } from "../output.js";
import { dim, type SafeText, text, yellow } from "../text.js";
import type { Following } from "./follow.js";

/** The most bytes of a log's data, or of a transaction's input, that are shown. `--json` prints all. */
const SHOWN_BYTES = 128;

/** Prints the head, and what the answer rests on. */
export function printBasis(
  { head, network, oldCheckpoint }: Following,
  rests: string | SafeText,
): void {
  const { block, slot, participation } = head;
  const signed = participation
    ? `signed by ${participation.signed} of ${participation.of} of the sync committee`
    : "the checkpoint itself";
  print();
  printRows([
    ["rests on", rests],
    ["head", text`${network} ${blockName(block)}${ageOf(block)}`],
    ["", dim(`slot ${slot}, ${signed}`)],
  ]);
  if (oldCheckpoint === undefined) return;
  print();
  print(
    text`  ${yellow("A checkpoint of up to")} ${yellow(String(oldCheckpoint))} ${yellow("days is allowed.")} Validators of that time may have withdrawn their stake, and could sign another history at no cost.`,
  );
}

/** Prints a verified answer as JSON: amounts and numbers of 64 bits or more are decimal strings. */
export function printAnswer({ head, network, client }: Following, answer: object): void {
  const { block, ...signed } = head;
  const { number, hash, timestamp } = block;
  const whole = {
    verified: true,
    network,
    head: { ...signed, block: { number, hash, timestamp } },
    finalized: client.finalized,
    ...answer,
  };
  const plain = JSON.stringify(whole, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value === undefined ? null : value,
  );
  printJson(JSON.parse(plain));
}

/** A block's number and time. */
export function blockName({ number, timestamp }: Pick<BlockHeader, "number" | "timestamp">) {
  return text`block ${String(number)}  ${dim(timeOf(timestamp * 1000n))}`;
}

/** The age of the newest head, if a server may be withholding newer ones. */
function ageOf({ timestamp }: BlockHeader): SafeText {
  const seconds = Math.floor(Date.now() / 1000) - Number(timestamp);
  return seconds < OLD_SECONDS ? text`` : text`  ${yellow(ageText(seconds))}`;
}

/** An age in one unit. */
export function ageText(seconds: number): string {
  const [count, unit] = UNITS.map(
    ([unit, length]) => [Math.floor(seconds / length), unit] as const,
  ).find(([count]) => count > 0) ?? [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"} old`;
}

/** Three slots without a block are rare; five minutes are an outage, or a server that withholds heads. */
const OLD_SECONDS = 300;
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Wei as ether, exactly. */
export const ether = (wei: bigint): string => `${decimals(wei, 18)} ETH`;

/** Wei as gwei, exactly. */
export const gwei = (wei: bigint): string => `${decimals(wei, 9)} gwei`;

function decimals(amount: bigint, count: number): string {
  const digits = String(amount).padStart(count + 1, "0");
  const fraction = digits.slice(-count).replace(/0+$/, "");
  return `${digits.slice(0, -count)}${fraction && `.${fraction}`}`;
}

/** Bytes in 0x-hex, shortened if they are many. */
export function bytesText(hex: string): SafeText {
  const count = hex.length / 2 - 1;
  const shown = count > SHOWN_BYTES ? `${hex.slice(0, 2 + 2 * SHOWN_BYTES)}…` : hex;
  return text`${shown}  ${dim(count === 1 ? "1 byte" : `${count} bytes`)}`;
}

/** The rows of a log, without its block and indices. */
export function logRows({
  address,
  topics,
  data,
}: Pick<Log, "address" | "topics" | "data">): Row[] {
  return [
    ["contract", address],
    ...topics.map((topic, index): Row => [`topic ${index}`, topic]),
    ...(data === "0x" ? [] : [["data", bytesText(data)] satisfies Row]),
  ];
}
