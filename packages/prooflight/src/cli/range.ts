import { Arguments } from "../arguments.js";
import { toHex } from "../bytes.js";
import { boundsOf, type KeyRange, type RangeEvidence, type RangePage } from "../client/range.js";
import { describe, refuse } from "../error.js";
import {
  atOf,
  blockName,
  type ChainOptions,
  connect,
  evidenceRows,
  headerJson,
  keyOf,
  keyText,
  printVerdict,
  schemeOf,
  valueText,
} from "./chain.js";
import { complain, EXIT, print, printJson, printRows } from "./output.js";
import { dim, type SafeText, text } from "./text.js";

interface CountOptions extends ChainOptions {
  scheme?: string | undefined;
  prefix?: string | undefined;
}

interface RangeOptions extends CountOptions {
  reverse?: boolean | undefined;
  limit?: string | undefined;
}

/** The time between two reports of how far a walk is, in milliseconds. */
const REPORT_AFTER = 2000;

/**
 * `prooflight range [FROM [TO]]`: lists the keys of a range, page by page as they are verified. Returns the exit code.
 *
 * What was printed before an error is verified too; the list then ends where the error says.
 */
export async function range(
  keys: readonly string[],
  options: RangeOptions,
  json: boolean,
): Promise<number> {
  const asked = { ...askedOf(keys, options), reverse: options.reverse, limit: limitOf(options) };
  const client = await connect(options);
  const walk = new Walk(asked.reverse ?? false);
  try {
    for await (const page of client.range(asked)) {
      walk.add(page, json);
    }
  } catch (error) {
    if (walk.last) complain(walk.rest());
    throw error;
  }
  walk.end(json);
  return EXIT.ok;
}

/** The pages of a range, as they come. */
class Walk {
  readonly #reverse: boolean;
  readonly #entries: ReturnType<typeof entryJson>[] = [];
  #count = 0;
  #bytes = 0;
  #milliseconds = 0;
  #pages = 0;
  #reported = performance.now();
  /** The newest page. */
  last: RangePage | undefined;

  constructor(reverse: boolean) {
    this.#reverse = reverse;
  }

  add(page: RangePage, json: boolean): void {
    this.last = page;
    this.#pages += 1;
    this.#count += page.entries.length;
    this.#bytes += page.evidence.proofBytes;
    this.#milliseconds += page.evidence.milliseconds;
    for (const entry of page.entries) {
      if (json) this.#entries.push(entryJson(entry));
      else print(text`  ${keyText(entry.key)}\n    ${entryText(entry)}`);
    }
    if (page.next && performance.now() - this.#reported > REPORT_AFTER) {
      this.#reported = performance.now();
      complain(`${keysText(this.#count)} in ${this.#pages} pages so far`);
    }
  }

  /** Where the list ends, and how to go on. */
  rest(): SafeText {
    const { next, block } = this.last ?? {};
    const bound = next && toHex(next);
    const where = this.#reverse ? "down to" : "up to";
    const verified = text`${keysText(this.#count)} ${where} ${bound ?? "the end"} in block ${String(block?.height)} are verified`;
    const as = this.#reverse ? "TO" : "FROM";
    return text`${verified}\nTo go on: this bound as ${as}, with --at ${String(block?.height)}`;
  }

  end(json: boolean): void {
    const { last } = this;
    if (!last) throw refuse("bug", "a page", "none");
    const { next, block, evidence } = last;
    if (json) {
      printJson({
        verified: true,
        // Whether the range ends here; otherwise the limit was reached.
        complete: next === null,
        next: next && toHex(next),
        ...blockJson(block, evidence),
        pages: this.#pages,
        proofBytes: this.#bytes,
        entries: this.#entries,
      });
      return;
    }
    if (this.#count > 0) print();
    const found = foundText(this.#count, next === null);
    printVerdict(text`${found}  ${blockName(block)}`);
    print();
    const pages = this.#pages === 1 ? "one page" : `${this.#pages} pages`;
    printRows([
      ...(next ? [[this.#reverse ? "next TO" : "next FROM", toHex(next)] as const] : []),
      ["block", dim(toHex(block.hash))],
      ...evidenceRows(
        { ...evidence, proofBytes: this.#bytes, milliseconds: this.#milliseconds },
        ` in ${pages}`,
      ),
    ]);
  }
}

/** `prooflight count [FROM [TO]]`: prints how many keys a range has. Returns the exit code. */
export async function count(
  keys: readonly string[],
  options: CountOptions,
  json: boolean,
): Promise<number> {
  const asked = askedOf(keys, options);
  const client = await connect(options);
  const { count, block, evidence } = await client.count(asked);
  if (json) {
    const { proofBytes } = evidence;
    printJson({ verified: true, count: String(count), ...blockJson(block, evidence), proofBytes });
    return EXIT.ok;
  }
  printVerdict(text`${keysText(count)}  ${blockName(block)}`);
  print();
  printRows([["block", dim(toHex(block.hash))], ...evidenceRows(evidence)]);
  return EXIT.ok;
}

function askedOf(keys: readonly string[], options: CountOptions) {
  const [from, to] = keys.map(keyOf);
  const bounds: KeyRange = {
    from,
    to,
    prefix: options.prefix === undefined ? undefined : keyOf(options.prefix),
  };
  // Asks no server about bounds that the client would refuse.
  boundsOf(new Arguments(undefined, bounds, ["from", "to", "prefix"]));
  return { ...bounds, scheme: schemeOf(options.scheme), at: atOf(options.at) };
}

function limitOf({ limit }: RangeOptions): number | undefined {
  if (limit === undefined) return undefined;
  if (/^[1-9][0-9]{0,14}$/.test(limit)) return Number(limit);
  throw refuse("invalid_argument", "--limit N, at least 1", describe(limit));
}

function foundText(count: number, complete: boolean): string {
  if (count === 0) return "no key";
  if (count === 1) return complete ? "the only key" : "the first key";
  return `${complete ? "all" : "the first"} ${count} keys, none left out`;
}

const keysText = (count: number | bigint) => (String(count) === "1" ? "1 key" : `${count} keys`);

type Entry = RangePage["entries"][number];

const entryText = ({ value, since }: Entry): SafeText =>
  text`${valueText(value)}  ${dim(`since block ${since}`)}`;

const entryJson = ({ key, value, since }: Entry) => ({
  key: toHex(key),
  value: toHex(value),
  since: String(since),
});

function blockJson(block: RangePage["block"], { scheme, head, server }: RangeEvidence) {
  return { scheme, block: headerJson(block), head: headerJson(head), server };
}
