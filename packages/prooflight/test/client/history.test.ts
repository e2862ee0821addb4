import { expect, test } from "vitest";

import type { LightClient } from "../../src/index.js";
import { alice, blocks, deleted, NEWEST, nobody } from "../network/state.js";
import { rejection, verdict } from "../refusal.js";
import { connect, failures, honest, liar, network } from "./network.js";

const FROM = 4n;
const TO = 9n;

/** What blocks `FROM` to `TO` did to alice's value, as big-endian integers. */
function changes(): [bigint, bigint][] {
  const heights = Array.from({ length: Number(TO - FROM) + 1 }, (_, index) => FROM + BigInt(index));
  return heights.flatMap((height) => {
    const own = blocks[Number(height) - 1]?.find(({ key }) => key === alice);
    return own?.op === "Set" ? [[height, BigInt(own.value)] as [bigint, bigint]] : [];
  });
}

async function timeOf(client: LightClient, height: bigint): Promise<bigint> {
  const { block } = await client.get(alice, { scheme: "smt", at: height });
  return block.timestampMs;
}

test("an average is that of the values, each for as long as it was there", async () => {
  const client = await connect();
  const { average, sum, coveredMs, gaps, history } = await client.twap(alice, {
    from: FROM,
    to: TO,
  });
  const steps = changes();
  expect(steps.length).toBeGreaterThan(3);
  expect(steps[0]?.[0]).toBe(FROM);
  let expected = 0n;
  for (const [index, [height, value]] of steps.entries()) {
    const until = steps[index + 1]?.[0] ?? TO;
    expected += value * ((await timeOf(client, until)) - (await timeOf(client, height)));
  }
  expect(sum).toBe(expected);
  expect(average).toBe(sum / coveredMs);
  expect(coveredMs).toBe((await timeOf(client, TO)) - (await timeOf(client, FROM)));
  expect(gaps).toEqual([]);
  expect(history.changes.map(({ block }) => block.height)).toEqual(steps.map(([height]) => height));
});

test("time without a value is a gap", async () => {
  const client = await connect();
  const { average, sum, coveredMs, gaps } = await client.twap(nobody, { from: FROM, to: TO });
  expect([average, sum, coveredMs]).toEqual([undefined, 0n, 0n]);
  const [fromMs, toMs] = [await timeOf(client, FROM), await timeOf(client, TO)];
  expect(gaps).toEqual([{ fromMs, toMs }]);
});

test("a deletion is a change, and what entered the range is shown", async () => {
  const client = await connect();
  const { entering, changes } = await client.history(deleted, { from: 3n, to: 8n });
  expect(entering).toMatchObject({ kind: "present", since: 2n });
  expect(changes.map(({ block, value }) => [block.height, value])).toEqual([[7n, null]]);
});

test.each<[string, (client: LightClient) => Promise<unknown>]>([
  ["a history", (client) => client.history(alice, { from: NEWEST - 1n })],
  ["a diff", (client) => client.diff({ from: NEWEST - 2n })],
  ["an average", (client) => client.twap(alice, { from: NEWEST - 1n })],
])(
  "%s that begins where a server says there are no blocks is that server's failure",
  async (_, ask) => {
    const { heard, onFailure } = failures();
    const withheld = liar("old-range");
    const client = await connect({ urls: [withheld, honest], onFailure });
    expect(client.head.height).toBe(NEWEST - 3n);
    await ask(client);
    expect(client.head.height).toBe(NEWEST);
    expect(heard).toEqual([
      { url: new URL("/", withheld).href, verdict: "untrusted / head_behind" },
    ]);

    const alone = await connect({ urls: [withheld] });
    expect(verdict(await rejection(ask(alone)))).toBe("untrusted / head_behind");
  },
);

test("a range that ends before it begins is refused before anything is asked", async () => {
  const asked: unknown[] = [];
  const client = await connect({
    fetch: (url, init) => {
      asked.push(url);
      return fetch(url, init);
    },
  });
  asked.length = 0;
  const backwards = { from: 5n, to: 4n };
  for (const call of [
    () => client.history(alice, backwards),
    () => client.twap(alice, backwards),
    () => client.diff(backwards),
    () => client.diff({ from: 5n, to: 5n }),
    () => client.history(alice, { from: 5n, to: "0x05" as never }),
    () => client.history("no hex" as never, { from: 5n }),
  ]) {
    expect((await rejection(call())).code).toBe("invalid_input");
  }
  expect(asked).toEqual([]);
});

test("a chain that keeps no scheme for a question is not the build's fault", async () => {
  const { url, pinned: checkpoint } = network.other;
  const client = await connect({ urls: [url], checkpoint });
  const asked: [string, string, () => Promise<unknown>][] = [
    ["histories", "smt or amb", () => client.history(alice, { from: 1n })],
    ["averages", "smt", () => client.twap(alice, { from: 1n })],
    ["diffs", "smt", () => client.diff({ from: 1n })],
    ["counts of keys", "amb", () => client.count()],
    ["ranges of keys", "amb", async () => client.range().next()],
  ];
  for (const [what, schemes, ask] of asked) {
    const error = await rejection(ask());
    expect(verdict(error)).toBe("unsupported / unknown_statement");
    const expected = `expected a chain that keeps ${schemes}, found one that keeps avl`;
    expect(error.message).toBe(`the chain keeps no scheme for ${what}: ${expected}`);
  }
  const named = await rejection(client.history(alice, { from: 1n, scheme: "smt" }));
  expect(verdict(named)).toBe("invalid_input / invalid_argument");
  const unable = await connect();
  const error = await rejection(unable.history(alice, { from: 1n, scheme: "avl" }));
  expect(error.message).toBe("avl proves no histories: expected a scheme of smt, amb, found avl");
});
