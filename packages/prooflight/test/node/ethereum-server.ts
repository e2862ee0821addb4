/** An Ethereum endpoint that answers from recorded mainnet data, and from a state made with ethers. */

import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";

import { concat, encodeRlp, keccak256, toBeHex } from "ethers";

import { listen } from "../listen.js";

type Hex = `0x${string}`;

/** A JSON-RPC request. */
export interface Asked {
  id: number;
  method: string;
  params: unknown[];
}

/** What a server answers to `eth_getProof`. */
export interface Answer {
  address: Hex;
  accountProof: Hex[];
  balance: Hex;
  codeHash: Hex;
  nonce: Hex;
  storageHash: Hex;
  storageProof: { key: Hex; value: Hex; proof: Hex[] }[];
}

interface Recorded {
  comment: string;
  input: { stateRoot: Hex; address: Hex; slots: Hex[]; response: Answer };
}

const vectors = JSON.parse(
  readFileSync(new URL("../../../../test-vectors/mpt/eth_get_proof.json", import.meta.url), "utf8"),
) as { testGroups: { type: string; tests: Recorded[] }[] };

const tests = vectors.testGroups
  .filter(({ type }) => type === "EthGetProof")
  .flatMap(({ tests }) => tests);

/** A recorded question and answer, by how its comment begins. */
export function recorded(name: string): Recorded["input"] {
  const found = tests.find(({ comment }) => comment.startsWith(name));
  if (!found) throw new Error(`nothing was recorded as ${name}`);
  return found.input;
}

/** Mainnet at block 21925176. */
export const MAINNET = {
  number: 21_925_176n,
  hash: "0x92dabfa3f61ff1c349d12f5fd0dd4c99760a0a41b77dee8f0a80f83efdcb307a",
  contract: recorded("mainnet_21925176_depositcontract"),
  miner: recorded("mainnet_21925176_eoa_miner"),
} as const;

/** The header of that block, which its hash covers. */
export const HEADER_RLP = (
  vectors.testGroups
    .flatMap(({ tests }) => tests as unknown as { input: { hash?: Hex; headerRlp?: Hex } }[])
    .find(({ input }) => input.hash === MAINNET.hash) as { input: { headerRlp: Hex } }
).input.headerRlp;

/** A state with one account that has code, made by ethers alone; its trie is one leaf. */
export function stateWithCode(address: Hex, code: Hex, balance: bigint) {
  const storageHash = keccak256(encodeRlp("0x"));
  const [codeHash, nonce] = [keccak256(code) as Hex, "0x01"];
  const account = encodeRlp([nonce, minimal(balance), storageHash, codeHash]);
  const leaf = encodeRlp([concat(["0x20", keccak256(address)]), account]) as Hex;
  const response: Answer = {
    address,
    accountProof: [leaf],
    balance: `0x${balance.toString(16)}`,
    codeHash,
    nonce: "0x1",
    storageHash: storageHash as Hex,
    storageProof: [],
  };
  return { stateRoot: keccak256(leaf) as Hex, response };
}

const minimal = (number: bigint) => (number === 0n ? "0x" : toBeHex(number));

/** What the server does with a request; what it gives is the result. */
export type Behaviour = (asked: Asked, response: ServerResponse) => unknown;

/** Answers of an honest server: those that were recorded of this block. */
export const honest: Behaviour = ({ method, params }) => {
  if (method === "eth_chainId") return "0x1";
  const [address, slots] = params as [Hex, Hex[]];
  const found = [MAINNET.contract, MAINNET.miner].find(
    (input) => input.address.toLowerCase() === address.toLowerCase(),
  );
  if (method !== "eth_getProof" || !found) throw new Error(`nothing recorded for ${method}`);
  const { response } = found;
  const storageProof = slots.map((slot) => {
    const proof = response.storageProof.find(({ key }) => BigInt(key) === BigInt(slot));
    if (!proof) throw new Error(`slot ${slot} was not recorded`);
    return proof;
  });
  return { ...response, storageProof };
};

/** A running server: where it is, and what it was asked. */
export interface Running {
  url: string;
  asked: Asked[];
  behave: (behaviour: Behaviour) => void;
  close: () => void;
}

/** Starts a server on any free port. */
export async function startServer(): Promise<Running> {
  let behaviour = honest;
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const call = JSON.parse(Buffer.concat(parts).toString()) as Asked;
      asked.push(call);
      let reply: object;
      try {
        const result = behaviour(call, response);
        if (result === undefined) return; // It has answered in its own way, or never will.
        reply = { jsonrpc: "2.0", id: call.id, result };
      } catch (error) {
        const { code = -32000, data } = error as { code?: number; data?: unknown };
        reply = { jsonrpc: "2.0", id: call.id, error: { code, message: String(error), data } };
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(reply));
    });
  });
  return { ...(await listen(server)), asked, behave: (next) => (behaviour = next) };
}
