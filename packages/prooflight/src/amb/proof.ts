import { Arguments } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import { type KeyHistory, readHistory } from "../smt/history.js";
import { type Absent, type Present, readStates } from "../state.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import {
  type AmbEntry,
  type AmbPage,
  type AmbReplica,
  readEntry,
  readPage,
  readReplica,
} from "./page.js";
import { type AmbKind, type AmbProofInput, readKind, writeQuestion } from "./question.js";

/** The verified answer to a question of each kind. */
export interface AmbResults {
  /** A result for each key, in order, with the block of its last change. */
  get: (Present | Absent)[];
  /** A history for each key, in order; `entering` is always known. */
  hist: KeyHistory[];
  /** All keys of the range, or the first page of them. */
  range: AmbPage<AmbEntry>;
  /** The number of keys. */
  count: bigint;
  /** All entries of the range, or the first page of them. */
  transfer: AmbPage<AmbReplica>;
  /** The root after the next block, 32 bytes. */
  update: Bytes;
}

/**
 * Verifies a proof about ordered keys against a trusted root, which proves the states after all blocks up to its own.
 *
 * The kind of the question decides the type of the result. Throws a `VerifyError`: `invalid_input` for an invalid
 * question, `malformed` if the proof is not well-formed or exceeds a limit, `mismatch` if it does not verify against
 * the root.
 *
 * A page may open no key: its `opened` is then 0. A walk from page to page must bound the number of consecutive pages
 * of this kind.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/amb.md#7-verification | The specification, amb 7}
 *
 * @example
 * ```ts
 * import { init, verifyAmbProof } from "prooflight/amb";
 *
 * await init();
 * // `root` is from the header of block 120, which you trust. It proves older states too.
 * const [answer] = verifyAmbProof({ kind: "get", root, block: 120n, keys: [key], at: 90n, proof });
 * if (answer?.kind === "present") console.log(answer.value, "since block", answer.since);
 * ```
 */
export function verifyAmbProof<Input extends AmbProofInput>(
  input: Input,
): AmbResults[Input["kind"]];
export function verifyAmbProof(input: AmbProofInput): AmbResults[AmbKind] {
  const kind = readKind(input);
  const request = new Writer(1024);
  const { proof, maxProofBytes } = writeQuestion(request, kind, input);
  return read(kind, new Reader(call(request.finish(), proof, maxProofBytes)));
}

/**
 * Calls the verifier.
 *
 * A proof above the limit is not copied into wasm's memory, which never shrinks. The question is still checked first,
 * as in every verifier.
 */
function call(packed: Uint8Array, proof: Uint8Array, limit: number): Bytes {
  const fits = proof.length <= limit;
  try {
    return hash.call("amb", (wasm) => wasm.ambVerify(packed, fits ? proof : new Uint8Array()));
  } catch (error) {
    if (!fits && error instanceof VerifyError && error.reason === "truncated") {
      new Arguments("amb", { proof }, ["proof"]).proof("proof", limit);
    }
    throw error;
  }
}

function historyAt(distinct: readonly KeyHistory[], place: number): KeyHistory {
  const history = distinct[place];
  if (!history) throw refuse("bug", "a history", "none", { scheme: "amb" });
  return history;
}

function read(kind: AmbKind, response: Reader): AmbResults[AmbKind] {
  switch (kind) {
    case "get":
      return readStates(response, "amb");
    case "hist": {
      // The histories of a repeated key come once, and its results share them.
      const distinct = response.sequence(() => readHistory(response));
      return response.sequence(() => historyAt(distinct, response.u32()));
    }
    case "range":
      return readPage(response, readEntry);
    case "count":
      return response.u64();
    case "transfer":
      return readPage(response, readReplica);
    case "update":
      return response.array(32);
  }
}
