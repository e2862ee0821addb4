/** Accounts, their storage and their code, by `eth_getProof` against a verified header's state root. */

import { fromHex, type Hex, toHex } from "../bytes.js";
import { type ProvenAccount, readProofs } from "../mpt/canonical.js";
import { packQuestion, readAccount } from "../mpt/packed.js";
import type { Server } from "../transport/servers.js";
import { ethereum } from "../wasm/ethereum.js";
import type { Block } from "./blocks.js";
import { JsonValue } from "./json.js";
import { askState } from "./states.js";

/** An account in the state after a block. One that does not exist has the fields of an empty account. */
export interface Account {
  address: Hex;
  /** Whether the state has the account. */
  exists: boolean;
  nonce: bigint;
  /** In wei. */
  balance: bigint;
  codeHash: Hex;
  storageHash: Hex;
  /** The value of each requested slot, in order; 0 if it is not set. */
  storage: bigint[];
  blockHash: Hex;
  blockNumber: bigint;
}

/** The verified account and slots, each slot 32 bytes in 0x-hex. */
export async function account(
  server: Server,
  block: Block,
  address: Hex,
  slots: readonly Hex[],
): Promise<Account> {
  const { shown } = await prove(server, block, address, slots);
  const { kind, nonce, balance, storage } = shown;
  return {
    address,
    exists: kind === "present",
    nonce,
    balance,
    codeHash: toHex(shown.codeHash) as Hex,
    storageHash: toHex(shown.storageHash) as Hex,
    storage,
    blockHash: block.header.hash,
    blockNumber: block.header.number,
  };
}

/** The verified code of an account. */
export async function code(server: Server, block: Block, address: Hex): Promise<Hex> {
  const { codeHash, hasCode } = (await prove(server, block, address, [])).shown;
  if (!hasCode) return "0x";
  const method = "eth_getCode";
  return askState(server, block, method, [address], (reply) => {
    const bytes = new JsonValue(reply, method).bytes();
    ethereum.call("mpt", (wasm) => {
      wasm.mptVerifyCode(codeHash, bytes);
    });
    return toHex(bytes) as Hex;
  });
}

/** The verified account and slots, and the canonical proofs that show them. */
export async function prove(
  server: Server,
  block: Block,
  address: Hex,
  slots: readonly Hex[],
): Promise<ProvenAccount> {
  const stateRoot = fromHex(block.header.stateRoot);
  return askState(server, block, "eth_getProof", [address, slots], (reply) => {
    const packed = packQuestion({ stateRoot, address, slots, response: reply }, "sent", "unread");
    const shown = readAccount(ethereum.call("mpt", (wasm) => wasm.mptVerifyAnswers(packed)));
    const proofs = () =>
      readProofs(ethereum.call("mpt", (wasm) => wasm.mptCanonicalProofs(packed)));
    return { shown, proofs };
  });
}
