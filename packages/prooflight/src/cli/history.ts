import { toHex } from "../bytes.js";
import type { History, VerifiedChange } from "../client/history.js";
import { toBundle } from "../client/saved.js";
import type { Average } from "../smt/twap.js";
import {
  type ChainOptions,
  connect,
  evidenceRows,
  headerJson,
  heightOf,
  keyOf,
  keyText,
  printVerdict,
  rangeEndOf,
  resultJson,
  resultText,
  schemeOf,
  timeOf,
  valueOf,
} from "./chain.js";
import { writeJson } from "./files.js";
import { EXIT, print, printJson, printRows, printSaved } from "./output.js";
import { dim, type SafeText, text } from "./text.js";

/** The decimals of an average in text output; `--json` prints it exactly. */
const DECIMALS = 6;

interface HistoryOptions extends ChainOptions {
  from?: string | undefined;
  to?: string | undefined;
  average?: boolean | undefined;
  scheme?: string | undefined;
  bundle?: string | undefined;
}

/** `prooflight history KEY`: prints every change of a key in a range of blocks. Returns the exit code. */
export async function history(
  key: string,
  options: HistoryOptions,
  json: boolean,
): Promise<number> {
  const raw = keyOf(key);
  const scheme = schemeOf(options.scheme);
  const from = heightOf(options.from ?? "0", "--from");
  const range = { from, to: rangeEndOf(options.to), scheme };
  const client = await connect(options);
  const average = options.average ? await client.twap(raw, range) : undefined;
  const found = average?.history ?? (await client.history(raw, range));
  const { bundle } = options;
  if (bundle !== undefined) await writeJson(bundle, toBundle(average ?? found));
  if (json) {
    printJson({ verified: true, ...historyJson(found), average: averageJson(average) });
  } else {
    printHistory(found, average);
    if (bundle !== undefined) printSaved(bundle);
  }
  return EXIT.ok;
}

function printHistory(found: History, average: Average | undefined): void {
  const { key, from, to, entering, changes, evidence } = found;
  const count = changes.length === 1 ? "the only change" : `all ${changes.length} changes`;
  const range =
    from.height === to.height
      ? `in block ${to.height}`
      : `from block ${from.height} to ${to.height}`;
  printVerdict(`${changes.length === 0 ? "no change" : count} ${range}`);
  print();
  print(text`  ${keyText(key)}`);
  printRows([
    ...(entering ? [["before", resultText(entering, evidence.scheme)] as const] : []),
    ...changes.map(({ block, value }) => [changeName(block), valueOf(value)] as const),
  ]);
  if (average) {
    print();
    printRows([["average", averageText(average)]]);
  }
  print();
  const headers = evidence.headers === 1 ? "1 header" : `${evidence.headers} headers`;
  printRows(evidenceRows(evidence, ` and ${headers}`));
}

const changeName = ({ height, timestampMs }: VerifiedChange["block"]) =>
  `block ${height}  ${timeOf(timestampMs)}`;

/** An average, with the seconds that it covers. */
function averageText({ sum, coveredMs, gaps }: Average): SafeText {
  if (coveredMs === 0n) return dim("none: there was no time in which the key had a value");
  const without = gaps.reduce((total, { fromMs, toMs }) => total + toMs - fromMs, 0n);
  const over = `over ${decimal(coveredMs, 1000n)} s`;
  const left = without === 0n ? "" : `, ${decimal(without, 1000n)} s without a value left out`;
  return text`${decimal(sum, coveredMs)}  ${dim(`${over}${left}`)}`;
}

/** A quotient in decimals, rounded down, without trailing zeros. */
function decimal(numerator: bigint, denominator: bigint): string {
  const digits = ((numerator * 10n ** BigInt(DECIMALS)) / denominator)
    .toString()
    .padStart(DECIMALS + 1, "0");
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, "");
}

function historyJson({ key, from, to, entering, changes, evidence }: History) {
  return {
    scheme: evidence.scheme,
    key: toHex(key),
    from: headerJson(from),
    to: headerJson(to),
    head: headerJson(evidence.head),
    // Unknown if the first block of the range changed the key.
    ...(entering && { entering: resultJson(entering, evidence.scheme) }),
    changes: changes.map(({ block, value }) => ({
      block: headerJson(block),
      kind: value ? "present" : "deleted",
      value: value && toHex(value),
    })),
    proofBytes: evidence.proofBytes,
    headers: evidence.headers,
    server: evidence.server,
  };
}

function averageJson(average: Average | undefined) {
  if (!average) return undefined;
  const { sum, coveredMs, gaps } = average;
  return {
    sum: String(sum),
    coveredMs: String(coveredMs),
    gaps: gaps.map(({ fromMs, toMs }) => ({ fromMs: String(fromMs), toMs: String(toMs) })),
  };
}
