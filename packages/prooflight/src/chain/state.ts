import { type AmbEntry, type AmbPage, readEntry, readPage } from "../amb/page.js";
import { writeBounds } from "../amb/question.js";
import { Arguments, type FromJson } from "../arguments.js";
import { refuse } from "../error.js";
import { writeItems } from "../limits.js";
import { type Setup, verifyingKey } from "../lvmt/setup.js";
import { SCHEMES } from "../schemes.js";
import { type Absent, type Present, readStates } from "../state.js";
import { Reader, Writer } from "../wire.js";
import { type ChainConfig, readConfig, writeConfig } from "./checkpoint.js";
import { callState, readScheme, type StateScheme } from "./schemes.js";

/** The accepted trusted setups, for schemes that need one: `lvmt`. */
export type SetupTrust = Pick<Setup, "allowInsecureSetup" | "verifyingKey">;

/** The input of {@link verifyState}. */
export interface StateInput extends SetupTrust {
  /** The scheme that proves the answer. */
  scheme: StateScheme;
  /** The configuration of the chain, from the caller's own checkpoint. */
  config: FromJson<ChainConfig>;
  /**
   * The `encoded` header of the block, which the caller has accepted: neither its signatures nor its chain are
   * checked.
   */
  header: Uint8Array;
  /** The block; at most `header`'s height. Default: the header's block. Only `amb` proves older blocks. */
  at?: bigint | undefined;
  /** The requested raw keys. */
  keys: readonly Uint8Array[];
  /** The proof. */
  proof: Uint8Array;
}

/** The input of {@link verifyStateRange}. */
export interface StateRangeInput {
  /** A scheme that keeps the order of keys: `amb`. */
  scheme: StateScheme;
  /** The configuration of the chain, from the caller's own checkpoint. */
  config: FromJson<ChainConfig>;
  /** The `encoded` header whose root proves the page, which the caller has accepted. */
  header: Uint8Array;
  /** The block; at most `header`'s height. Default: the header's block. */
  at?: bigint | undefined;
  /** The first key that may be in the range. */
  lo: Uint8Array;
  /** The first key after the range; null if it has no end. */
  hi: Uint8Array | null;
  /** Whether the keys come in descending order. */
  reverse: boolean;
  /** The proof. */
  proof: Uint8Array;
}

/** The input of {@link verifyStateCount}. */
export interface StateCountInput {
  /** A scheme that keeps the order of keys: `amb`. */
  scheme: StateScheme;
  /** The configuration of the chain, from the caller's own checkpoint. */
  config: FromJson<ChainConfig>;
  /** The `encoded` header of the block, which the caller has accepted. */
  header: Uint8Array;
  /** The first key that may be in the range. */
  lo: Uint8Array;
  /** The first key after the range; null if it has no end. */
  hi: Uint8Array | null;
  /** The proof. */
  proof: Uint8Array;
}

/** The statements of `bindings/wasm/src/state/message.rs`. */
export const STATEMENT = { keys: 0, history: 1, diff: 2, block: 3, range: 4, count: 5 } as const;

/**
 * Verifies the values of raw keys in a chain's state after a block, or that they are absent.
 *
 * Returns a result for each key, in order. Throws a `VerifyError`: `malformed` and `mismatch` like the verifier of
 * the scheme's module, `untrusted` / `wrong_schemes` if the chain does not keep the scheme, `invalid_input` for a key
 * longer than the chain allows, `unsupported` for a setup that is not accepted.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#7-answers-about-the-state | The specification, chain 7}
 *
 * @example
 * ```ts
 * import { init, verifyState } from "prooflight/chain";
 *
 * await init();
 * const { config } = checkpoint;
 * const question = { config, header: header.encoded, keys: [key] }; // a header that you have accepted
 * const [answer] = verifyState({ ...question, scheme: "avl", proof });
 * console.log(answer?.kind === "present" ? answer.value : "no value");
 * ```
 */
export function verifyState(input: StateInput): (Present | Absent)[] {
  const given = new Arguments(undefined, input, [
    "scheme",
    "config",
    "header",
    "at",
    "keys",
    "proof",
    "allowInsecureSetup",
    "verifyingKey",
  ]);
  const scheme = readScheme(given.unchecked("scheme"));
  const request = begin("keys", scheme, given.unchecked("config"));
  request.bool(given.optionalBoolean("allowInsecureSetup") ?? false);
  const hasKey = given.unchecked("verifyingKey") !== undefined;
  request.bool(hasKey);
  if (hasKey) request.bytes(verifyingKey(given, "verifyingKey"));
  request.bytes(given.proof("header"));
  request.optionalU64(given.optionalU64("at"));
  const proof = given.proof("proof");
  writeItems(request, given.list("keys"), "keys", { scheme });
  return readStates(new Reader(callState(scheme, request.finish(), proof)), scheme);
}

/**
 * Verifies all raw keys between two bounds that had a value after a block, with their values, or the first page of
 * these keys.
 *
 * Throws like {@link verifyState}. A page may open no key: its `opened` is then 0. A walk from page to page must bound
 * the number of consecutive pages of this kind.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#13-ordered-keys | The specification, chain 13}
 *
 * @example
 * ```ts
 * import { init, verifyStateRange } from "prooflight/chain";
 *
 * await init();
 * const trusted = { config: checkpoint.config, header: header.encoded };
 * const lo = new TextEncoder().encode("account/"); // every key that begins with account/
 * const hi = new TextEncoder().encode("account0");
 * const page = verifyStateRange({ ...trusted, scheme: "amb", lo, hi, reverse: false, proof });
 * console.log(page.entries, page.next === null ? "all of them" : "more on the next page");
 * ```
 */
export function verifyStateRange(input: StateRangeInput): AmbPage<AmbEntry> {
  const given = new Arguments(undefined, input, [
    "scheme",
    "config",
    "header",
    "at",
    "lo",
    "hi",
    "reverse",
    "proof",
  ]);
  const scheme = rangeScheme(given.unchecked("scheme"));
  const request = begin("range", scheme, given.unchecked("config"));
  request.bytes(given.proof("header"));
  request.optionalU64(given.optionalU64("at"));
  writeBounds(request, given);
  request.bool(given.boolean("reverse"));
  const proof = given.proof("proof");
  return readPage(new Reader(callState(scheme, request.finish(), proof)), readEntry);
}

/**
 * Verifies the number of raw keys between two bounds that have a value after a block.
 *
 * Throws like {@link verifyState}.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#13-ordered-keys | The specification, chain 13}
 *
 * @example
 * ```ts
 * import { init, verifyStateCount } from "prooflight/chain";
 *
 * await init();
 * const trusted = { config: checkpoint.config, header: header.encoded };
 * const all = { lo: new Uint8Array(), hi: null }; // every key
 * const count = verifyStateCount({ ...trusted, ...all, scheme: "amb", proof });
 * console.log(count, "keys after block", header.height);
 * ```
 */
export function verifyStateCount(input: StateCountInput): bigint {
  const given = new Arguments(undefined, input, [
    "scheme",
    "config",
    "header",
    "lo",
    "hi",
    "proof",
  ]);
  const scheme = rangeScheme(given.unchecked("scheme"));
  const request = begin("count", scheme, given.unchecked("config"));
  request.bytes(given.proof("header"));
  writeBounds(request, given);
  const proof = given.proof("proof");
  return new Reader(callState(scheme, request.finish(), proof)).u64();
}

/** A request about the state that one header proves. */
function begin(statement: keyof typeof STATEMENT, scheme: StateScheme, config: unknown): Writer {
  const request = new Writer(1024);
  request.u8(STATEMENT[statement]);
  request.u8(SCHEMES[scheme].id);
  writeConfig(request, readConfig(config, "config"));
  return request;
}

/** The scheme of this name; `unknown_statement` if it does not keep the order of keys. */
function rangeScheme(named: unknown): StateScheme {
  const scheme = readScheme(named);
  if (SCHEMES[scheme].abilities.includes("range")) return scheme;
  throw refuse("unknown_statement", "a scheme that keeps the order of keys", scheme);
}
