/** Histories, averages and diffs that are saved and verified later without a server, and what is refused of every bundle. */

import { beforeAll, describe, expect, test, vi } from "vitest";

import {
  type Answer,
  type AnswerBundle,
  type Bundle,
  type DiffBundle,
  type Header,
  type HistoryBundle,
  LightClient,
  toBundle,
  toHex,
  verifyBundle,
} from "../../src/index.js";
import { rejection, refusal, verdict } from "../refusal.js";
import { alice, deleted, empty, NEWEST } from "../network/state.js";
import { connect, network } from "./network.js";

const checkpoint = network.pinned;
const range = { from: 3n, to: 9n };

/** As it is after it was written to a file and read again. */
const saved = <Saved extends Bundle>(bundle: Saved) => JSON.parse(JSON.stringify(bundle)) as Saved;

let answer: AnswerBundle;
let older: AnswerBundle;
let newest: HistoryBundle;
let average: HistoryBundle;
let diff: DiffBundle;
/** Of a server that is behind the head that the client had accepted. */
let behind: HistoryBundle;
let diffBehind: DiffBundle;

beforeAll(async () => {
  const client = await LightClient.connect({ urls: [network.url], checkpoint });
  answer = saved(toBundle(await client.get(alice)));
  const [ofTwo] = (await client.getMany([alice, empty], { at: 9n })) as [Answer, Answer];
  older = saved(toBundle(ofTwo));
  newest = saved(toBundle(await client.history(alice, { from: 3n })));
  average = saved(toBundle(await client.twap(alice, range)));
  diff = saved(toBundle(await client.diff(range)));

  const ahead = await LightClient.connect({ urls: [network.url], checkpoint, fetch: byBlock9 });
  expect(ahead.head.height).toBe(NEWEST);
  behind = saved(toBundle(await ahead.history(alice, range)));
  diffBehind = saved(toBundle(await ahead.diff(range)));
});

/** Asks for ranges as if block 9 were the newest. */
const byBlock9: typeof fetch = (url, init) => {
  const call = JSON.parse(init?.body as string) as { method: string; params: object };
  const isRange = ["prooflight_history", "prooflight_diff"].includes(call.method);
  const asked = isRange ? { ...call, params: { ...call.params, head: "0x9" } } : call;
  return fetch(url, { ...init, body: JSON.stringify(asked) });
};

/** Everything but how it was verified. */
function without<Given extends { evidence: unknown }>({ evidence, ...rest }: Given) {
  expect(evidence).toBeDefined();
  return rest;
}

const heightOf = ({ height }: Header) => height;

describe("verifies without a server:", () => {
  beforeAll(() => {
    vi.stubGlobal("fetch", undefined);
    return () => {
      vi.unstubAllGlobals();
    };
  });

  test("a history up to the newest block", async () => {
    const found = await verifyBundle(newest, { checkpoint });
    expect([found.kind, toHex(found.key), found.average]).toEqual([
      "StateHistory",
      alice,
      undefined,
    ]);
    expect([found.from, found.to].map(heightOf)).toEqual([3n, NEWEST]);
    expect(found.changes).toHaveLength(Number(NEWEST) - 2);
    expect("header" in newest).toBe(false);
  });

  test("a range whose proof is by an older head", async () => {
    for (const bundle of [behind, diffBehind]) expect(bundle.path?.length).toBeGreaterThan(0);
    const history = await verifyBundle(behind, { checkpoint });
    expect([history.from, history.to].map(heightOf)).toEqual([3n, 9n]);
    expect(history.changes).toHaveLength(7);
    expect((await verifyBundle(diffBehind, { checkpoint })).to.height).toBe(9n);
  });

  test("as JSON imports it, whose strings may be any", async () => {
    const imported: { [Member in keyof DiffBundle]: DiffBundle[Member] } & { kind: string } = diff;
    const found = await verifyBundle(imported, { checkpoint });
    expect(found.kind).toBe("StateDiff");
  });
});

test("it says what the client's answer said", async () => {
  const client = await connect();
  const history = await client.history(deleted, range);
  const ofHistory = await verifyBundle(toBundle(history), { checkpoint });
  expect(ofHistory).toEqual({
    ...without(history),
    kind: "StateHistory",
    average: undefined,
  });

  const { history: averaged, ...numbers } = await client.twap(alice, range);
  const ofAverage = await verifyBundle(average, { checkpoint });
  expect(ofAverage).toEqual({ ...without(averaged), kind: "StateHistory", average: numbers });
  // The history alone is not averaged again.
  expect(toBundle(averaged).average).toBe(undefined);

  const changed = await client.diff(range);
  const ofDiff = await verifyBundle(diff, { checkpoint });
  expect(ofDiff).toEqual({ ...without(changed), kind: "StateDiff" });

  const all = await client.diff({ from: null });
  const ofAll = await verifyBundle(saved(toBundle(all)), { checkpoint });
  expect(ofAll.from).toBe(null);
  expect(ofAll.changes).toEqual(all.changes);
});

test("only what a client gave becomes a bundle, and what it was then", async () => {
  const client = await connect();
  const history = await client.history(alice, range);
  const bundle = toBundle(history);
  history.key.fill(0);
  history.from.encoded.fill(0);
  for (const { block, value } of history.changes) [block.encoded, value].forEach((b) => b?.fill(0));
  expect(toBundle(history)).toEqual(bundle);
  for (const own of [history, await client.diff(range), await client.get(alice)]) {
    expect(verdict(refusal(() => toBundle(structuredClone(own) as never)))).toBe(
      "invalid_input / invalid_argument",
    );
  }
});

describe("whatever is changed in a bundle, it is refused:", () => {
  const kinds: [string, () => Bundle][] = [
    ["an answer", () => older],
    ["a history", () => behind],
    ["an average", () => average],
    ["a diff", () => diffBehind],
  ];

  test.each(kinds)("any digit of %s", async (_, bundle) => {
    const honest = bundle();
    // Of another key, the same proof may show that it is absent.
    const members = Object.entries(honest).filter(
      ([name]) => !["kind", "scheme", "from", "to", "keys"].includes(name),
    );
    for (const [name, value] of members) {
      const texts: unknown[] = Array.isArray(value) ? value : [value];
      for (const [index, text] of texts.entries()) {
        if (typeof text !== "string") continue;
        // A prime distance reaches every part of the long ones.
        const step = text.length > 500 ? 7 : 1;
        for (let position = 2; position < text.length; position += step) {
          const digit = (parseInt(text.charAt(position), 16) ^ 1).toString(16);
          const flipped = text.slice(0, position) + digit + text.slice(position + 1);
          const others = texts.map((other, at) => (at === index ? flipped : other));
          const member = Array.isArray(value) ? others : flipped;
          const changed = { ...honest, [name]: member };
          const error = await rejection(verifyBundle(changed, { checkpoint }));
          expect(["malformed", "mismatch", "untrusted", "unavailable"]).toContain(error.code);
        }
      }
    }
  });

  const others: [string, () => object, string][] = [
    ["a key less", () => ({ ...older, keys: older.keys.slice(1) }), "mismatch"],
    ["a key more", () => ({ ...older, keys: [...older.keys, alice] }), "mismatch"],
    ["keys in another order", () => ({ ...older, keys: [...older.keys].reverse() }), "mismatch"],
    ["another first block", () => ({ ...behind, from: "0x4" }), ""],
    ["another last block", () => ({ ...behind, to: "0x8" }), ""],
    ["a diff as a history", () => ({ ...diff, kind: "StateHistory" }), "invalid_input"],
    ["a history as a diff", () => ({ ...newest, kind: "StateDiff" }), "invalid_input"],
    ["a history as an answer", () => ({ ...newest, kind: "StateAnswer" }), "invalid_input"],
    ["another kind", () => ({ ...newest, kind: "SmtHistory" }), "unsupported / unknown_statement"],
    ["another scheme", () => ({ ...newest, scheme: "avl" }), "unsupported / unknown_statement"],
    ["no path to the checkpoint", () => ({ ...diff, inclusion: [] }), "untrusted / not_extending"],
    ["a checkpoint of its own", () => ({ ...diff, checkpoint }), "invalid_input"],
    ["a time of its own", () => ({ ...diff, now: "0x0" }), "invalid_input"],
    ["a permission of its own", () => ({ ...diff, allowInsecureSetup: true }), "invalid_input"],
    ["an average that is no boolean", () => ({ ...average, average: "true" }), "invalid_input"],
  ];
  test.each(others)("%s", async (_, change, expected) => {
    const error = await rejection(verifyBundle(change() as Bundle, { checkpoint }));
    expect(verdict(error)).toContain(expected);
  });
});

describe("what the caller trusts decides:", () => {
  test("another chain's checkpoint", async () => {
    for (const bundle of [answer, newest, diff]) {
      const error = await rejection(verifyBundle(bundle, { checkpoint: network.other.pinned }));
      expect(verdict(error)).toBe("untrusted / wrong_chain");
    }
  });

  test("the clock and the largest age", async () => {
    const client = await connect();
    const { timestampMs } = client.head;
    const trust = { checkpoint, maxHeadAge: 1000n, maxClockSkew: 10n };
    for (const bundle of [answer, newest, diff]) {
      await verifyBundle(bundle, { ...trust, now: timestampMs + 1000n });
      await verifyBundle(bundle, { ...trust, now: timestampMs - 10n });
      const late = await rejection(verifyBundle(bundle, { ...trust, now: timestampMs + 1001n }));
      expect(verdict(late)).toBe("untrusted / head_too_old");
      const early = await rejection(verifyBundle(bundle, { ...trust, now: timestampMs - 11n }));
      expect(verdict(early)).toBe("untrusted / head_in_future");
    }
  });
});
