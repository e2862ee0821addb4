const KIB = 1024;

/** Methods whose answer is one number or hash. Their errors may carry more data. */
const SHORT: ReadonlySet<string> = new Set([
  ...["eth_chainId", "net_version", "eth_blockNumber"],
  ...["eth_getBalance", "eth_getTransactionCount", "eth_getStorageAt", "eth_estimateGas"],
  ...["eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_blobBaseFee", "eth_sendRawTransaction"],
]);

/**
 * The most bytes of a reply to the method; undefined if the method has no limit of its own.
 *
 * Parsing costs more than sending: 40 MiB of the shortest strings block a page for seconds.
 */
export function mostReplyBytes(method: string, params: unknown): number | undefined {
  if (SHORT.has(method)) return 1024 * KIB;
  if (method !== "eth_getProof") return undefined;
  const slots: unknown = Array.isArray(params) ? params[1] : undefined;
  // 65 nodes of an account's proof, and of each slot's, have at most 532 bytes each, which are 1,067
  // characters of JSON: 68 KiB. The rest is room for indentation and further members.
  const proofs = 1 + (Array.isArray(slots) ? slots.length : 0);
  return 64 * KIB + proofs * 160 * KIB;
}
