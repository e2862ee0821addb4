/** Recorded cases, asked of `createProvider` as a wallet would. */

import { describe, expect, test } from "vitest";

import { createProvider } from "../../src/provider.js";
import { recordedAsks } from "./asks.js";
import { sameAsRecorded } from "./compare.js";
import { refusedAs } from "./documented.js";
import { OFFERED } from "./methods.js";
import { answerable, type Head, heads, remarks } from "./provable.js";
import { OWN, readCases } from "./recorded.js";
import { fetchOf, honest, MAX_AGE } from "./servers.js";
import { type Pinned, serveAll, type Served } from "./serve.js";

for (const remark of remarks) {
  console.log(remark);
  test.skip(remark, () => undefined);
}

/** A provider whose beacon and execution nodes answer what was recorded; if no committee is, the head is pinned. */
function providerOf(head: Served | Pinned, unproven: unknown[]) {
  const common = {
    network: head.network,
    execution: ["http://execution.test"],
    now: () => head.now,
    onUnproven: (request: unknown) => unproven.push(request),
  };
  if ("pinned" in head) {
    const fetch = fetchOf((asked) =>
      "path" in asked ? undefined : head.execution(asked.method, asked.params),
    );
    return createProvider({ ...common, heads: { latest: head.hash }, fetch });
  }
  return createProvider({
    ...common,
    checkpoint: head.checkpoint,
    beacon: ["http://beacon.test"],
    maxCheckpointAge: MAX_AGE,
    fetch: fetchOf(honest(head)),
  });
}

const kindOf = (head: Served | Pinned) =>
  "pinned" in head ? "pinned" : `${head.periods} periods from its checkpoint`;

test("there are heads and answers", () => {
  expect(heads.length).toBeGreaterThan(0);
  const names = answerable.map(({ one }) => one.name);
  if (OWN) expect(names).toEqual(["eth_getLogs1"]);
});

describe.each(heads.map((given) => [`${given.name} (${kindOf(given.head)})`, given] as const))(
  "%s",
  (_, { one, head }: Head) => {
    const unproven: unknown[] = [];
    const provider = providerOf(head, unproven);

    test("is the newest block", async () => {
      expect(await provider.request({ method: "eth_blockNumber" })).toBe(
        `0x${head.number.toString(16)}`,
      );
      expect(await provider.request({ method: "eth_chainId" })).toBe(
        `0x${one.chainId.toString(16)}`,
      );
      const params = ["latest", false];
      const block = await provider.request({ method: "eth_getBlockByNumber", params });
      expect(block).toMatchObject({ hash: head.hash });
    });

    test.each(recordedAsks(one, head).map((ask) => [ask.name, ask] as const))(
      "%s",
      async (_, { method, params, expected }) => {
        sameAsRecorded(await provider.request({ method, params }), expected);
        expect(unproven).toEqual([]);
      },
    );
  },
);

describe.each(answerable.map((given) => [given.one.name, given] as const))(
  "the question of %s",
  (_, { one, head }: Head) => {
    const { method, params, expected } = one.asked ?? { method: "", params: [], expected: null };
    test(`${method} at slot ${head.slot} (${kindOf(head)})`, async () => {
      const unproven: unknown[] = [];
      const found = await providerOf(head, unproven).request({ method, params });
      sameAsRecorded(found, expected);
      // Only that there is nothing with a hash is not proven.
      if (expected !== null) expect(unproven).toEqual([]);
    });
  },
);

test.runIf(OWN)(
  "a head without a committee is pinned, and its answers verify against that",
  async () => {
    const one = readCases().find(({ name }) => name === "eth_getLogs1");
    if (!one?.asked) throw new Error("no case eth_getLogs1");
    const [head] = (await serveAll(one, [])) as [Pinned];
    expect(head.pinned).toBe("no committee of period 1351");
    const { method, params, expected } = one.asked;
    sameAsRecorded(await providerOf(head, []).request({ method, params }), expected);
    const another = { ...head, hash: `0x${"11".repeat(32)}` as const };
    await expect(providerOf(another, []).request({ method, params })).rejects.toMatchObject({
      code: -32001,
    });
  },
);

/** Questions that no proof covers yet, of which nothing is believed. */
const refused = readCases().filter(({ asked }) => asked && !OFFERED.has(asked.method));

test.each(
  refused.flatMap((one) => {
    const found = heads.find((head) => head.one === one);
    return found ? [[one.name, one.asked?.method ?? "", found.head] as const] : [];
  }),
)("the question of %s is refused, as documented: %s", async (name, method, head) => {
  const { params } = readCases().find((one) => one.name === name)?.asked ?? { params: [] };
  await expect(providerOf(head, []).request({ method, params })).rejects.toMatchObject(
    refusedAs(method),
  );
});

test("every case is asked, or said to lack something", () => {
  const silent = readCases().filter(
    ({ name }) =>
      !answerable.some(({ one }) => one.name === name) &&
      !remarks.some((remark) => remark.startsWith(`${name} lacks: `)),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});
