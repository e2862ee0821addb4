/** The methods that may be forwarded to the server, and their kinds. */

/**
 * What a method does: `read` reads data that cannot be verified; `fee` asks for a price that a local key may
 * sign; `send` publishes a signed transaction; `sign` signs with a key of the wallet; `connect` asks the user for
 * something else.
 */
export type MethodKind = "read" | "fee" | "send" | "sign" | "connect";

const KINDS: ReadonlyMap<string, MethodKind> = new Map<string, MethodKind>([
  ...kind("read", [
    ...["eth_call", "eth_estimateGas", "eth_getLogs", "eth_syncing", "web3_clientVersion"],
    ...["eth_getBlockByHash", "eth_getBlockByNumber", "eth_getBlockReceipts"],
    ...["eth_getBlockTransactionCountByHash", "eth_getBlockTransactionCountByNumber"],
    ...["eth_getTransactionByHash", "eth_getTransactionReceipt", "eth_getTransactionCount"],
    ...["eth_getTransactionByBlockHashAndIndex", "eth_getTransactionByBlockNumberAndIndex"],
    ...["eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"],
    ...["eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"],
    ...["eth_subscribe", "eth_unsubscribe"],
    ...["eth_accounts", "wallet_getCapabilities", "wallet_getCallsStatus"],
  ]),
  ...kind("fee", ["eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_blobBaseFee", "eth_feeHistory"]),
  ...kind("send", ["eth_sendRawTransaction"]),
  ...kind("sign", [
    ...["personal_sign", "eth_sign", "eth_signTransaction", "eth_sendTransaction"],
    ...["eth_signTypedData", "eth_signTypedData_v3", "eth_signTypedData_v4"],
    ...["wallet_sendTransaction", "wallet_sendCalls", "wallet_watchAsset"],
  ]),
  ...kind("connect", [
    ...["eth_requestAccounts", "wallet_showCallsStatus"],
    ...["wallet_requestPermissions", "wallet_getPermissions", "wallet_revokePermissions"],
    ...["wallet_addEthereumChain", "wallet_switchEthereumChain"],
  ]),
]);

/**
 * The methods that the mode `if-possible` forwards by default.
 *
 * `eth_getTransactionCount` is forwarded for the block `pending` only, and methods about fees only with a
 * `maxFeePerGas`.
 */
export const FORWARDABLE: readonly string[] = Object.freeze([...KINDS.keys()]);

/**
 * Methods whose answer a local key signs: nonce, fees, calls or hashes chosen by the server. Libraries sign it
 * unseen, so these methods are refused in every mode.
 */
export const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  ...["eth_fillTransaction", "parity_composeTransaction", "wallet_prepareCalls"],
  ...["eth_estimateUserOperationGas", "pm_sponsorUserOperation"],
  ...["pm_getPaymasterData", "pm_getPaymasterStubData"],
]);

/** The kind of a method. An unknown one is assumed to sign. */
export const kindOf = (method: string): MethodKind => KINDS.get(method) ?? "sign";

/** Whether the user decides about a method; assumed for unknown ones. */
export function needsUser(method: string): boolean {
  const kind = KINDS.get(method);
  return kind === "sign" || kind === "connect";
}

function kind(kind: MethodKind, methods: readonly string[]): [string, MethodKind][] {
  return methods.map((method) => [method, kind]);
}
