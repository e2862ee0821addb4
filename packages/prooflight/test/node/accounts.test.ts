/** viem and ethers read a node's accounts; what they trust is the head that a light client accepted. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { BrowserProvider, encodeRlp, JsonRpcProvider, keccak256 } from "ethers";
import { createPublicClient, custom, http } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";

import { LightClient, toHex } from "../../src/index.js";
import { createProvider, httpProvider, type Trust } from "../../src/provider.js";
import { ChainNode } from "../network/chain-node.js";
import type { Operation } from "../network/state.js";

type Hex = `0x${string}`;

const alice: Hex = `0x${"a1".repeat(20)}`;
const nobody: Hex = `0x${"ee".repeat(20)}`;
const SLOT: Hex = `0x${"05".padStart(64, "0")}`;

const account = (nonce: Hex, balance: Hex): Operation => ({
  op: "Set",
  key: alice,
  value: encodeRlp([nonce, balance, keccak256("0x")]) as Hex,
});
const slot = (value: Hex): Operation => ({
  op: "Set",
  key: `${alice}${SLOT.slice(2)}`,
  value,
});

const folder = mkdtempSync(join(tmpdir(), "prooflight-accounts-"));
let node: ChainNode;
let client: LightClient;
beforeAll(async () => {
  node = await ChainNode.begin(folder, "accounts", "avl,mpt");
  const checkpoint = await node.checkpoint();
  await node.start();
  await node.submit([account("0x01", "0x64"), slot("0x2a")]);
  client = await LightClient.connect({ urls: [node.url], checkpoint });
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

/** The head that was accepted last, whatever the node says. */
const trust: Trust = (name) => {
  const { height, hash, roots } = client.head;
  if (!roots.mpt || (typeof name === "bigint" && name !== height)) return undefined;
  return { number: height, hash, stateRoot: roots.mpt };
};
const provider = (trusted = trust) =>
  createProvider({ provider: httpProvider(node.url), chainId: 1337, trust: trusted });

test("viem and ethers read a balance and a slot", async () => {
  const viem = createPublicClient({ transport: custom(provider()) });
  expect(await viem.getBlockNumber()).toBe(1n);
  expect(await viem.getBalance({ address: alice })).toBe(100n);
  expect(await viem.getTransactionCount({ address: alice })).toBe(1);
  expect(BigInt((await viem.getStorageAt({ address: alice, slot: SLOT })) ?? 0)).toBe(42n);
  expect(await viem.getBalance({ address: nobody })).toBe(0n);

  const ethers = new BrowserProvider(provider());
  expect(await ethers.getBalance(alice)).toBe(100n);
  expect(BigInt(await ethers.getStorage(alice, 5))).toBe(42n);
  expect(await ethers.getCode(alice)).toBe("0x");
});

test("viem and ethers talk to the node itself unchanged, and see its blocks", async () => {
  const { height, hash, roots } = client.head;
  const viem = createPublicClient({ transport: http(node.url) });
  const block = await viem.getBlock();
  expect([block.number, block.hash]).toEqual([height, toHex(hash)]);
  expect(block.stateRoot).toBe(toHex(roots.mpt as Uint8Array));
  expect(block.transactions).toEqual([]);
  expect(await viem.getBalance({ address: alice })).toBe(100n);
  const proof = await viem.getProof({ address: alice, storageKeys: [SLOT] });
  expect(proof.storageProof[0]?.value).toBe(42n);

  const ethers = new JsonRpcProvider(node.url, undefined, { polling: true });
  const same = await ethers.getBlock("latest");
  expect([same?.number, same?.hash]).toEqual([Number(height), toHex(hash)]);
  expect(await ethers.getTransactionCount(alice)).toBe(1);
  ethers.destroy();
});

test("what viem's getBlock() gives of a trusted node is trusted as it is", async () => {
  const trusted = createPublicClient({ transport: http(node.url) });
  const viem = createPublicClient({ transport: custom(provider(() => trusted.getBlock())) });
  expect(await viem.getBlockNumber()).toBe(client.head.height);
  expect(await viem.getBalance({ address: alice })).toBe(100n);
});

test("they read the next state once the light client has accepted its head", async () => {
  await node.submit([account("0x02", "0x32"), slot("0x")]);
  const viem = createPublicClient({ transport: custom(provider()), cacheTime: 0 });
  expect(await viem.getBalance({ address: alice })).toBe(100n);
  await client.sync();
  expect(await viem.getBalance({ address: alice })).toBe(50n);
  expect(BigInt((await viem.getStorageAt({ address: alice, slot: SLOT })) ?? 0)).toBe(0n);
});

test("another root than the header's is refused", async () => {
  const request = { method: "eth_getBalance", params: [alice, "latest"] };
  expect(await provider().request(request)).toBe("0x32");
  const { height, hash, opsRoot } = client.head;
  const wrong = provider(() => ({ number: height, hash, stateRoot: opsRoot }));
  await expect(wrong.request(request)).rejects.toMatchObject({
    data: { code: "mismatch", reason: "root_mismatch" },
  });
});
