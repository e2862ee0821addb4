import { toHex } from "../bytes.js";
import type { Diff } from "../client/history.js";
import { toBundle } from "../client/saved.js";
import {
  type ChainOptions,
  connect,
  evidenceRows,
  headerJson,
  heightOf,
  keyText,
  printVerdict,
  rangeEndOf,
  valueOf,
} from "./chain.js";
import { writeJson } from "./files.js";
import { EXIT, print, printJson, printRows, printSaved } from "./output.js";
import { dim, text } from "./text.js";

/** The most keys that are shown. `--json` prints all. */
const SHOWN = 100;

interface DiffOptions extends ChainOptions {
  from?: string | undefined;
  to?: string | undefined;
  bundle?: string | undefined;
}

/** `prooflight diff`: prints every key that changed after a block, with its last value. Returns the exit code. */
export async function diff(options: DiffOptions, json: boolean): Promise<number> {
  const from = options.from === undefined ? null : heightOf(options.from, "--from");
  const to = rangeEndOf(options.to);
  const client = await connect(options);
  const found = await client.diff({ from, to });
  const { bundle } = options;
  if (bundle !== undefined) await writeJson(bundle, toBundle(found));
  if (json) {
    printJson({ verified: true, ...diffJson(found) });
  } else {
    printDiff(found);
    if (bundle !== undefined) printSaved(bundle);
  }
  return EXIT.ok;
}

function printDiff({ from, to, changes, evidence }: Diff): void {
  const count = changes.length === 1 ? "the only key" : `all ${changes.length} keys`;
  const range = from === null ? "" : `after block ${from} `;
  printVerdict(
    `${changes.length === 0 ? "no key" : count} that changed ${range}up to block ${to.height}`,
  );
  print();
  for (const { key, height, value } of changes.slice(0, SHOWN)) {
    print(text`  ${keyText(key)}`);
    print(text`    ${valueOf(value)}  ${dim(`in block ${height}`)}`);
  }
  if (changes.length > SHOWN) {
    print(text`  ${dim(`and ${changes.length - SHOWN} more; --json prints all`)}`);
  }
  print();
  printRows(evidenceRows(evidence));
}

function diffJson({ from, to, changes, evidence }: Diff) {
  return {
    from: from === null ? null : String(from),
    to: headerJson(to),
    head: headerJson(evidence.head),
    changes: changes.map(({ key, height, value }) => ({
      key: toHex(key),
      height: String(height),
      kind: value ? "present" : "deleted",
      value: value && toHex(value),
    })),
    proofBytes: evidence.proofBytes,
    server: evidence.server,
  };
}
