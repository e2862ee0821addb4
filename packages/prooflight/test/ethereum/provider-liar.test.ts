/** For every method of the provider: a server that changes each field of each of its replies, alone, is never believed. */

import { isDeepStrictEqual } from "node:util";

import { keccak256, Wallet } from "ethers";
import { describe, expect, test, vi } from "vitest";

import { type NetworkProviderOptions, ProviderError } from "../../src/provider.js";
import { executeChain } from "./execution-chain.js";
import { liesAbout, seededRandom } from "./lies.js";
import { STATELESS } from "./methods.js";
import { hashOf, providerOf, type Question } from "./provider-of.js";

const random = seededRandom();

// Hundreds of lies about a question.
vi.setConfig({ testTimeout: 900_000 });

const chain = await executeChain();

const CONTRACT = "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df";
const ZERO = `0x${"00".repeat(32)}`;
/** Blocks with an ommer, with a blob, with a delegation, and the last one. */
const [OMMER, BLOBS, DELEGATION, LAST] = [34, 42, 45, 54];

const SENDER = "0x0c2c51a0990aee1d73c1228de158688341557508";
const FEE = "0x77359400";
/** Returns the hashes of the blocks 53 and 51, and the base fee of blob gas: BLOCKHASH and BLOBBASEFEE. */
const BLOCK_HASHES = "0x603540603340014a0160005260206000f3";

interface Asked {
  method: string;
  params: unknown[];
  /** The number of the block that is the head. */
  head: number;
}

const full = (number: number) =>
  chain.execution("eth_getBlockByHash", [hashOf(chain, number), true]) as Promise<{
    transactions: { hash: string }[];
  }>;

/** The transactions of a block. */
const hashesOf = async (number: number) =>
  (await full(number)).transactions.map(({ hash }) => hash);
const [blobs, delegation] = [await hashesOf(BLOBS), await hashesOf(DELEGATION)];

const ask = (method: string, params: unknown[] = [], head = LAST): Asked => ({
  method,
  params,
  head,
});

/** A transfer of nothing, signed by a made-up key. */
const signed = (chainId: bigint) =>
  new Wallet(`0x${"11".repeat(32)}`).signTransaction({
    ...{ type: 2, chainId, nonce: 0, gasLimit: 21_000n, to: CONTRACT },
    ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
  });

const questions: Asked[] = [
  ask("eth_blockNumber"),
  ask("eth_syncing"),
  ask("eth_getBalance", [CONTRACT, "latest"]),
  ask("eth_getTransactionCount", [CONTRACT, "pending"]),
  ask("eth_getStorageAt", [CONTRACT, ZERO, "latest"]),
  ask("eth_getStorageValues", [{ [CONTRACT]: ["0x0", "0x1"] }]),
  ask("eth_getCode", [CONTRACT, "latest"]),
  ask("eth_getProof", [CONTRACT, ["0x0"], "latest"]),
  ask("eth_call", [{ to: CONTRACT }, "latest"]),
  ask("eth_call", [{ to: CONTRACT, from: SENDER, value: "0x1", maxFeePerGas: FEE }, "latest"]),
  ask("eth_call", [{ data: BLOCK_HASHES }, "latest"]),
  ask("eth_estimateGas", [{ to: CONTRACT, data: "0x01" }, "latest"]),
  ask("eth_createAccessList", [{ to: CONTRACT }, "latest"]),
  ask("eth_getBlockByNumber", ["latest", true], DELEGATION),
  ask("eth_getBlockByNumber", ["latest", false], BLOBS),
  ask("eth_getBlockByNumber", ["0x35", true]),
  // Six blocks back, by a proof in the head's state.
  ask("eth_getBlockByNumber", ["0x30", false]),
  ask("eth_getBlockByHash", [hashOf(chain, 53), true]),
  ask("eth_getBlockTransactionCountByNumber", ["latest"]),
  ask("eth_getBlockTransactionCountByHash", [hashOf(chain, LAST)]),
  ask("eth_getUncleCountByBlockNumber", ["latest"]),
  ask("eth_getUncleCountByBlockHash", [hashOf(chain, LAST)]),
  ask("eth_getUncleByBlockNumberAndIndex", ["latest", "0x0"]),
  ask("eth_getUncleByBlockHashAndIndex", [hashOf(chain, LAST), "0x0"]),
  ask("eth_getBlockByNumber", ["latest", true], OMMER),
  ask("eth_getUncleCountByBlockNumber", ["latest"], OMMER),
  ask("eth_getUncleCountByBlockHash", [hashOf(chain, OMMER)], OMMER),
  ask("eth_getUncleByBlockNumberAndIndex", ["latest", "0x0"], OMMER),
  ask("eth_getUncleByBlockHashAndIndex", [hashOf(chain, OMMER), "0x0"], OMMER),
  ask("eth_getTransactionByHash", [blobs[0]], BLOBS),
  ask("eth_getTransactionByHash", [delegation[1]], DELEGATION),
  ask("eth_getTransactionByBlockNumberAndIndex", ["latest", "0x0"], BLOBS),
  ask("eth_getTransactionByBlockHashAndIndex", [hashOf(chain, LAST), "0x1"]),
  ask("eth_getTransactionReceipt", [blobs[0]], BLOBS),
  ask("eth_getTransactionReceipt", [delegation[1]], DELEGATION),
  ask("eth_getBlockReceipts", ["latest"]),
  ask("eth_getBlockReceipts", [hashOf(chain, LAST)]),
  ask("eth_getLogs", [{ address: CONTRACT, fromBlock: "0x34" }]),
  ask("eth_getLogs", [{ blockHash: hashOf(chain, LAST) }]),
  ask("eth_baseFee"),
  ask("eth_blobBaseFee"),
  ask("eth_gasPrice"),
  ask("eth_maxPriorityFeePerGas"),
  ask("eth_feeHistory", ["0x2", "latest", [0, 50, 100]]),
];

test("an ommer is asked about", async () => {
  const uncle = questions.filter(({ method, head }) => method.includes("Uncle") && head === OMMER);
  for (const question of uncle) expect((await outcome(question)).result).not.toBe(null);
});

/** Methods whose answers are options; a server has no say in them, since it is not asked. */
const OPTIONS = ["eth_chainId", "net_version"];

/** A transaction whose hash is the result, whatever the server answers. */
const SENT = "eth_sendRawTransaction";

test("every method without a state of its own is asked", () => {
  const asked = new Set([...OPTIONS, SENT, ...questions.map(({ method }) => method)]);
  expect(STATELESS.filter((name) => !asked.has(name))).toEqual([]);
});

test.each(OPTIONS)("%s asks no server", async (method) => {
  const { asked, ...honest } = await outcome(ask(method));
  expect(honest).toHaveProperty("result");
  expect(asked).toEqual([]);
});

test(`a liar about ${SENT}`, async () => {
  const { chainId } = chain.options;
  const sent = ask(SENT, [await signed(chainId)]);
  const { asked, ...honest } = await outcome(sent);
  expect(honest).toMatchObject({ result: keccak256(sent.params[0] as string), marked: false });
  expect(asked.map(({ method }) => method)).toContain(SENT);
  for (const about of asked) {
    const reply = await chain.execution(about.method, about.params);
    // Without a result, it is an error of the server, which the caller gets.
    const lies = liesAbout(reply, random).flatMap(({ reply }) => reply ?? []);
    for (const lie of [...lies, null, {}, "0x"]) {
      const told = await outcome(sent, (asked) =>
        isDeepStrictEqual(asked, about) ? lie : chain.execution(asked.method, asked.params),
      );
      if (!told.refused) expect(told).toMatchObject(honest);
    }
  }
});

/** The result, or the refusal; `marked` if it was said to be unproven. */
async function outcome({ method, params, head }: Asked, answer?: (question: Question) => unknown) {
  let marked = false;
  const options: Partial<NetworkProviderOptions> = {
    heads: { latest: hashOf(chain, head) },
    onUnproven: () => {
      marked = true;
    },
  };
  const { provider, asked } = providerOf(chain, options, answer);
  try {
    return { result: await provider.request({ method, params }), marked, asked };
  } catch (error) {
    if (error instanceof ProviderError && error.data.code !== "internal") {
      return { refused: error, marked, asked };
    }
    throw error;
  }
}

describe("a liar about", () => {
  test.each(
    questions.map(
      (one) => [`${one.method} ${JSON.stringify(one.params)} at ${one.head}`, one] as const,
    ),
  )("%s", async (_, question) => {
    const honest = await outcome(question);
    expect(honest).toHaveProperty("result");
    expect(honest.marked).toBe(false);
    const replies = new Map<string, { about: Question; reply: unknown }>();
    for (const about of honest.asked) {
      const reply = await chain.execution(about.method, about.params);
      replies.set(JSON.stringify(about), { about, reply });
    }
    expect(replies.size).toBeGreaterThan(0);
    let refused = 0;
    for (const [key, { about, reply }] of replies) {
      for (const lie of [...liesAbout(reply, random), { path: "null", reply: null }]) {
        const told = await outcome(question, (asked) =>
          isDeepStrictEqual(asked, about) ? lie.reply : chain.execution(asked.method, asked.params),
        );
        if (told.refused) refused += 1;
        else if (told.marked && told.result !== null) {
          // Called pending, which is marked. What the transaction is rests on its hash.
          const { hash, from, input } = honest.result as Record<string, unknown>;
          expect(told.result, key).toMatchObject({ blockHash: null, hash, from, input });
        } else if (told.marked) expect(told.result, `${key} ${lie.path}`).toBe(null);
        else expect(told.result, `${key} ${lie.path}`).toEqual(honest.result);
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});
