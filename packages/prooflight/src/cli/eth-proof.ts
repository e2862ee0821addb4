import { refuse } from "../error.js";

/** The options for verifying an answer to `eth_getProof`. */
export interface EthOptions {
  "state-root"?: string | undefined;
  address?: string | undefined;
  slot?: string[] | undefined;
}

/** An answer to `eth_getProof` as a statement. */
export interface EthStatement {
  statement: Record<string, unknown>;
  /** Parts of the question that were taken from the answer because no option gave them. */
  taken: ("address" | "slots")[];
}

/**
 * The statement of an answer to `eth_getProof`, which is the result or the whole JSON-RPC reply; undefined for
 * other JSON.
 *
 * The address and the slots come from the options, otherwise from the answer.
 */
export function ethStatement(json: unknown, options: EthOptions): EthStatement | undefined {
  const response = isAnswer(json) ? json : resultOf(json);
  if (!isAnswer(response)) return undefined;
  const { "state-root": stateRoot, slot } = options;
  if (stateRoot === undefined) {
    const expected =
      "--state-root HASH, from a block that you trust, for an answer to eth_getProof";
    throw refuse("invalid_argument", expected, "nothing");
  }
  const { address, storageProof } = response;
  const answered = Array.isArray(storageProof) ? storageProof.map(keyOf) : [];
  const statement = {
    kind: "EthGetProof",
    scheme: "mpt",
    stateRoot,
    address: options.address ?? address,
    slots: slot ?? answered,
    response,
  };
  return {
    statement,
    taken: [
      ...(options.address === undefined ? (["address"] as const) : []),
      ...(slot === undefined && answered.length > 0 ? (["slots"] as const) : []),
    ],
  };
}

/** Refuses options that apply only to an answer to `eth_getProof`. */
export function refuseEthOptions(options: EthOptions): void {
  const given = (["state-root", "address", "slot"] as const).find(
    (name) => options[name] !== undefined,
  );
  if (given === undefined) return;
  const expected = `an answer to eth_getProof beside --${given}`;
  throw refuse("invalid_argument", expected, "another statement");
}

function isAnswer(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && "accountProof" in json;
}

function resultOf(json: unknown): unknown {
  return typeof json === "object" && json !== null && "result" in json ? json.result : undefined;
}

/** The key of a slot. Verification refuses an answer in which one is missing. */
function keyOf(slot: unknown): unknown {
  return typeof slot === "object" && slot !== null && "key" in slot ? slot.key : "0x0";
}
