import { refuse } from "../error.js";

/** The options that say what an answer to `eth_getProof` is verified against. */
export interface EthOptions {
  "state-root"?: string | undefined;
  address?: string | undefined;
}

/**
 * The statement that an answer to `eth_getProof` makes, given as it came: the result, or the whole
 * reply of JSON-RPC; undefined if it is none.
 *
 * What was asked is what the answer is about, unless the caller says which address it was.
 */
export function ethStatement(
  json: unknown,
  options: EthOptions,
): Record<string, unknown> | undefined {
  const response = isAnswer(json) ? json : resultOf(json);
  if (!isAnswer(response)) return undefined;
  const stateRoot = options["state-root"];
  if (stateRoot === undefined) {
    const expected =
      "--state-root HASH, from a block that you trust, for an answer to eth_getProof";
    throw refuse("invalid_argument", expected, "nothing");
  }
  const { address, storageProof } = response;
  const slots = Array.isArray(storageProof) ? storageProof.map(keyOf) : [];
  return {
    kind: "EthGetProof",
    scheme: "mpt",
    stateRoot,
    address: options.address ?? address,
    slots,
    response,
  };
}

function isAnswer(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && "accountProof" in json;
}

function resultOf(json: unknown): unknown {
  return typeof json === "object" && json !== null && "result" in json ? json.result : undefined;
}

/** A slot that has no key is refused with the answer. */
function keyOf(slot: unknown): unknown {
  return typeof slot === "object" && slot !== null && "key" in slot ? slot.key : "0x0";
}
