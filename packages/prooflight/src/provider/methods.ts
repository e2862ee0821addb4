/** How each method is answered. */

import { toHex } from "../bytes.js";
import { refuse } from "../error.js";
import { type AbsentAccount, type PresentAccount, verifyEthGetProof } from "../mpt/account.js";
import { type Answer, copyAnswer } from "../mpt/response.js";
import { hash as wasm } from "../wasm/hash.js";
import type { HandOn } from "./hand-on.js";
import { pendingNonce } from "./pending.js";
import { addressAt, blockAt, bytesOfResult, quantity, slotOf, word } from "./request.js";
import type { Server } from "./server.js";
import { type Anchor, anchorOf, type BlockName, type Trust } from "./trust.js";

/** The provider's settings, as methods need them. */
export interface Context {
  chainId: bigint;
  server: Server;
  trust: Trust;
  /** How methods are handed on; undefined in the mode `strict`. */
  handOn: HandOn | undefined;
}

type Method = (context: Context, params: readonly unknown[], name: string) => unknown;

/** The Keccak-256 of no bytes. */
const EMPTY_CODE = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
/** The root of a trie without keys. */
const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

/** The methods whose answers are verified, or taken from the options. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["eth_chainId", ({ chainId }) => quantity(chainId)],
  ["net_version", ({ chainId }) => String(chainId)],
  ["eth_blockNumber", async ({ trust }) => quantity((await anchorOf(trust, "latest")).number)],
  ["eth_getBalance", getBalance],
  ["eth_getTransactionCount", getTransactionCount],
  ["eth_getStorageAt", getStorageAt],
  ["eth_getCode", getCode],
  ["eth_getProof", getProof],
]);

async function getBalance(context: Context, params: readonly unknown[], name: string) {
  const { account } = await accountAt(
    context,
    addressAt(name, params, 0),
    [],
    blockAt(name, params, 1),
  );
  return quantity(account.kind === "present" ? account.balance : 0n);
}

async function getTransactionCount(context: Context, params: readonly unknown[], name: string) {
  const address = addressAt(name, params, 0);
  const nonceAt = async (block: BlockName) => {
    const { account } = await accountAt(context, address, [], block);
    return account.kind === "present" ? account.nonce : 0n;
  };
  if (params[1] !== "pending" || !context.handOn)
    return quantity(await nonceAt(blockAt(name, params, 1)));
  const request = { method: name, params: [address, "pending"] };
  return quantity(await pendingNonce(context.handOn, request, () => nonceAt("latest")));
}

async function getStorageAt(context: Context, params: readonly unknown[], name: string) {
  const [address, slot] = [addressAt(name, params, 0), slotOf(name, params[1])];
  const { account } = await accountAt(context, address, [slot], blockAt(name, params, 2));
  return word(account.storage[0] ?? 0n);
}

async function getCode(context: Context, params: readonly unknown[], name: string) {
  const address = addressAt(name, params, 0);
  const { account, block } = await accountAt(context, address, [], blockAt(name, params, 1));
  const expected = account.kind === "present" ? toHex(account.codeHash) : EMPTY_CODE;
  if (expected === EMPTY_CODE) return "0x";
  const code = await context.server.request("eth_getCode", [address, quantity(block.number)]);
  const bytes = bytesOfResult("eth_getCode", code);
  const found = toHex(wasm.call("mpt", (wasm) => wasm.keccak256(bytes)));
  if (found === expected) return toHex(bytes);
  throw refuse("code_mismatch", `code with hash ${expected}`, found, { scheme: "mpt" });
}

async function getProof(context: Context, params: readonly unknown[], name: string) {
  const address = addressAt(name, params, 0);
  const asked: unknown = params[1] ?? [];
  if (!Array.isArray(asked)) {
    throw refuse("invalid_argument", `slots in an array for ${name}`, typeof asked, {
      scheme: "mpt",
    });
  }
  const slots = asked.map((slot) => slotOf(name, slot));
  const { account, response } = await accountAt(context, address, slots, blockAt(name, params, 2));
  // Only verified members, in the order of EIP-1186.
  const { accountProof, storageProof } = response;
  const present = account.kind === "present";
  return {
    address,
    accountProof,
    balance: quantity(present ? account.balance : 0n),
    codeHash: present ? toHex(account.codeHash) : EMPTY_CODE,
    nonce: quantity(present ? account.nonce : 0n),
    storageHash: present ? toHex(account.storageHash) : EMPTY_ROOT,
    storageProof: account.storage.map((value, index) => ({
      key: asked[index] as unknown,
      value: quantity(value),
      proof: storageProof[index]?.proof,
    })),
  };
}

/** The verified account and slots in the state of a trusted block. */
async function accountAt(
  { server, trust }: Context,
  address: string,
  slots: readonly `0x${string}`[],
  name: BlockName,
): Promise<{ account: PresentAccount | AbsentAccount; block: Anchor; response: Answer }> {
  const block = await anchorOf(trust, name);
  // By number, which every server supports. The proof shows that it is the state of this block.
  const params = [address, slots, quantity(block.number)];
  const response = copyAnswer(await server.request("eth_getProof", params), slots.length);
  const { stateRoot } = block;
  const account = verifyEthGetProof({ stateRoot, address: address as never, slots, response });
  return { account, block, response };
}
