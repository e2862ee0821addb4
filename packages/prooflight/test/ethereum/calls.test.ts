/** Calls over an executed chain, against the answers of geth. */

import { readFileSync } from "node:fs";

import { beforeAll, describe, expect, test } from "vitest";

import type { NetworkProviderOptions } from "../../src/provider.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";
import { filesBelow, givenFolder, here } from "./folders.js";
import { type Answer, hashOf, providerOf, type Question } from "./provider-of.js";

type Hex = `0x${string}`;

const folder = givenFolder("PROOFLIGHT_EXECUTION") ?? here("../../../../crates/evm/tests/data");

/** A recorded request, with geth's answer. */
interface Recorded {
  name: string;
  method: string;
  params: [Record<string, unknown>, ...unknown[]];
  answer: { result?: unknown; error?: { code: number; message: string; data?: string } };
}

const recorded = filesBelow(`${folder}/geth_answers`)
  .filter(({ path }) => path.endsWith(".io"))
  .map(({ name, path }): Recorded => {
    const lines = readFileSync(path, "utf8").split("\n");
    const line = (start: string) =>
      JSON.parse(lines.find((line) => line.startsWith(start))?.slice(2) ?? "{}") as never;
    const { method, params } = line(">>") as Pick<Recorded, "method" | "params">;
    return { name, method, params, answer: line("<<") };
  });

/** The forks of the chain at blocks that requests name; the head is of Osaka. */
const FORK_AT: Readonly<Record<string, NetworkProviderOptions["fork"]>> = {
  "0x28": "shanghai",
  "0x2b": "cancun",
  "0x2e": "prague",
};

/** Requests about blocks from before the merge, which are not executed. */
const BEFORE_MERGE = new Set([
  "eth_call/block-by-hash-object.io",
  "eth_call/environment-before-merge.io",
]);

/** Where the answer is not geth's. */
function isLeftOut({ method, params: [call], answer }: Recorded): boolean {
  // geth fills in fees that are not named, and then fails for poor senders (execution-apis #853).
  const hasFees = ["gasPrice", "maxFeePerGas"].some((name) => call[name] !== undefined);
  const isPoor = answer.error?.message.includes("insufficient funds") ?? false;
  return method === "eth_createAccessList" && !hasFees && isPoor;
}

const HINTS = {
  "no hint": () => undefined,
  "a useless hint": () => ({
    accessList: [{ address: `0x${"77".repeat(20)}`, storageKeys: [`0x${"00".repeat(32)}`] }],
    gasUsed: "0x0",
  }),
  "a hint of another form": () => ({ accessList: [{ address: "0x12", storageKeys: 7 }] }),
  "a hint of accounts alone": async (chain: ExecutionChain, { params }: Question) => {
    const { ask } = providerOf(chain, { fork: "osaka" });
    const found = (await ask("eth_createAccessList", params[0]).catch(() => undefined)) as
      { accessList: { address: Hex }[] } | undefined;
    return found && { accessList: found.accessList.map(({ address }) => ({ address })) };
  },
};

/** A server of the chain, with hints. */
const withHints =
  (chain: ExecutionChain, hint: (chain: ExecutionChain, question: Question) => unknown): Answer =>
  (question) =>
    question.method === "eth_createAccessList"
      ? hint(chain, question)
      : chain.execution(question.method, question.params);

let chain: ExecutionChain;
beforeAll(async () => {
  chain = await executeChain();
});

describe.each(Object.entries(HINTS))("with %s", (_, hint) => {
  test.each(recorded.map((one) => [one.name, one] as const))("%s", async (name, one) => {
    const { method, params, answer } = one;
    const at = params[1];
    const number = at === "latest" || at === "pending" || typeof at !== "string" ? "0x36" : at;
    const fork = FORK_AT[number] ?? "osaka";
    const heads = { latest: hashOf(chain, Number(number)) };
    const { ask } = providerOf(chain, { fork, heads, maxWalk: 64 }, withHints(chain, hint));
    const asked = ask(method, ...params);
    const found = await asked.then(
      (result) => ({ result }),
      (error: unknown) => {
        const { code, message, data } = error as Exclude<Recorded["answer"]["error"], undefined>;
        return { error: { code, message, ...(data !== undefined && { data }) } };
      },
    );
    if (isLeftOut(one)) return;
    if (BEFORE_MERGE.has(name)) {
      expect(found).toMatchObject({ error: { code: 4200, data: { reason: "unsupported_fork" } } });
      return;
    }
    expect(normal(found)).toEqual(normal(answer));
  });
});

/** Access lists are sets; the hash of a transaction in a message is one that no caller knows. */
function normal({ result, error }: Recorded["answer"]): unknown {
  if (error) {
    const message = error.message.replace(/(failed to apply transaction: )0x[0-9a-f]{64} /, "$1");
    return { error: { ...error, message } };
  }
  const list = (result as { accessList?: { address: string; storageKeys: string[] }[] } | null)
    ?.accessList;
  if (!list) return { result };
  const entries = list.map(({ address, storageKeys }) => [address, [...storageKeys].sort()]);
  return { result: { ...(result as object), accessList: entries.sort() } };
}

test.each([1, 2100, 5000])(
  "a hint of %s accounts that no call reads counts as nothing",
  async (count) => {
    const accessList = Array.from({ length: count }, (_, number) => ({
      address: `0x${(0x200000 + number).toString(16).padStart(40, "0")}`,
      storageKeys: [],
    }));
    const { ask } = providerOf(
      chain,
      { fork: "osaka" },
      withHints(chain, () => ({ accessList, gasUsed: "0x0" })),
    );
    const to = `0x${"5a".repeat(20)}`;
    // Returns the balance of the contract.
    const overrides = { [to]: { code: "0x4760005260206000f3" } };
    expect(await ask("eth_call", { to }, "latest", overrides)).toBe(`0x${"0".repeat(64)}`);
  },
);
