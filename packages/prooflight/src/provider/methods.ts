/** How each method is answered. */

import { toHex } from "../bytes.js";
import { refuse } from "../error.js";
import { showAccount } from "../mpt/account.js";
import { canonicalAnswer, keyOfSlot, type ProvenAccount } from "../mpt/canonical.js";
import { hash as wasm } from "../wasm/hash.js";
import type { TrustedCalls } from "./calls.js";
import { type Forwarding, pendingNonce } from "./forward.js";
import { addressAt, blockAt, bytesOfResult, quantity, slotOf, word } from "./request.js";
import type { WalletServer } from "./server.js";
import { anchorOf, type BlockName, type StateAnchor, type Trust } from "./trust.js";

/** The provider's settings, as methods need them. */
export interface ProviderContext {
  chainId: bigint;
  server: WalletServer;
  trust: Trust;
  calls: TrustedCalls;
  /** How methods are forwarded; undefined in the mode `strict`. */
  forwarding: Forwarding | undefined;
}

type ProviderMethod = (
  context: ProviderContext,
  params: readonly unknown[],
  name: string,
) => unknown;

/** The methods whose answers are verified, or taken from the options. */
export const METHODS: ReadonlyMap<string, ProviderMethod> = new Map<string, ProviderMethod>([
  ["eth_chainId", ({ chainId }) => quantity(chainId)],
  ["net_version", ({ chainId }) => String(chainId)],
  ["eth_blockNumber", async ({ trust }) => quantity((await anchorOf(trust, "latest")).number)],
  ["eth_getBalance", getBalance],
  ["eth_getTransactionCount", getTransactionCount],
  ["eth_getStorageAt", getStorageAt],
  ["eth_getCode", getCode],
  ["eth_getProof", getProof],
]);

async function getBalance(context: ProviderContext, params: readonly unknown[], name: string) {
  const address = addressAt(name, params, 0);
  const { shown } = await accountAt(context, address, [], blockAt(name, params, 1));
  return quantity(shown.balance);
}

async function getTransactionCount(
  context: ProviderContext,
  params: readonly unknown[],
  name: string,
) {
  const address = addressAt(name, params, 0);
  const nonceAt = async (block: BlockName) => {
    const { shown } = await accountAt(context, address, [], block);
    return shown.nonce;
  };
  if (params[1] !== "pending" || !context.forwarding)
    return quantity(await nonceAt(blockAt(name, params, 1)));
  const request = { method: name, params: [address, "pending"] };
  return quantity(await pendingNonce(context.forwarding, request, () => nonceAt("latest")));
}

async function getStorageAt(context: ProviderContext, params: readonly unknown[], name: string) {
  const [address, slot] = [addressAt(name, params, 0), slotOf(name, params[1])];
  const { shown } = await accountAt(context, address, [slot], blockAt(name, params, 2));
  return word(shown.storage[0] ?? 0n);
}

async function getCode(context: ProviderContext, params: readonly unknown[], name: string) {
  const address = addressAt(name, params, 0);
  const { shown, block } = await accountAt(context, address, [], blockAt(name, params, 1));
  const { codeHash, hasCode } = shown;
  if (!hasCode) return "0x";
  const code = await context.server.request("eth_getCode", [address, quantity(block.number)]);
  const bytes = bytesOfResult("eth_getCode", code);
  wasm.call("mpt", (wasm) => {
    wasm.mptVerifyCode(codeHash, bytes);
  });
  return toHex(bytes);
}

async function getProof(context: ProviderContext, params: readonly unknown[], name: string) {
  const address = addressAt(name, params, 0);
  const asked: unknown = params[1] ?? [];
  if (!Array.isArray(asked)) {
    throw refuse("invalid_argument", `slots in an array for ${name}`, typeof asked, {
      scheme: "mpt",
    });
  }
  const slots = asked.map((slot) => slotOf(name, slot));
  const proven = await accountAt(context, address, slots, blockAt(name, params, 2));
  return canonicalAnswer(address, asked.map(keyOfSlot), proven);
}

/** The verified account and slots in the state of a trusted block. */
async function accountAt(
  { server, trust }: ProviderContext,
  address: string,
  slots: readonly `0x${string}`[],
  name: BlockName,
): Promise<ProvenAccount & { block: StateAnchor }> {
  const block = await anchorOf(trust, name);
  // By number, which every server supports. The proof shows that it is the state of this block.
  const params = [address, slots, quantity(block.number)];
  const response = await server.request("eth_getProof", params);
  const question = { stateRoot: block.stateRoot, address: address as never, slots, response };
  return { block, ...showAccount(question, "unread") };
}
