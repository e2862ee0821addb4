/** Answers that are saved, and verified later without a server. */

import { beforeAll, describe, expect, test, vi } from "vitest";

import {
  type Answer,
  type AnswerBundle,
  type Checkpoint,
  LightClient,
  toBundle,
  toHex,
  verifyBundle,
} from "../../src/index.js";
import { account, alice, empty, nobody, NEWEST, stateAt } from "../network/state.js";
import { network } from "./network.js";
import { refusal, rejection, verdict } from "../refusal.js";

const checkpoint = network.pinned;
const keys = [alice, nobody, empty, account("user 7")];

/** As it is after it was written to a file and read again. */
const saved = (text: string) => JSON.parse(text) as AnswerBundle;

async function bundleAt(at: bigint | "latest"): Promise<AnswerBundle> {
  const client = await LightClient.connect({ urls: [network.url], checkpoint });
  const answers = await client.getMany(keys, { at });
  const bundles = answers.map((answer) => JSON.stringify(toBundle(answer)));
  expect(new Set(bundles).size).toBe(1);
  return saved(bundles[0] ?? "");
}

let newest: AnswerBundle;
let older: AnswerBundle;
let beforePinned: AnswerBundle;

beforeAll(async () => {
  [newest, older, beforePinned] = await Promise.all([
    bundleAt("latest"),
    bundleAt(9n),
    bundleAt(1n),
  ]);
});

describe.each<[string, () => AnswerBundle, bigint]>([
  ["of the newest block", () => newest, NEWEST],
  ["of an older block", () => older, 9n],
  ["of a block before the checkpoint", () => beforePinned, 1n],
])("a bundle %s", (_, bundle, height) => {
  test("verifies without a server", async () => {
    vi.stubGlobal("fetch", undefined);
    const { header, results } = await verifyBundle(bundle(), { checkpoint });
    vi.unstubAllGlobals();
    expect(header.height).toBe(height);
    expect(
      results.map((result) => (result.kind === "present" ? toHex(result.value) : undefined)),
    ).toEqual(keys.map((key) => stateAt(height).get(key)));
  });

  test("has the headers that it needs, and no more", () => {
    expect("header" in bundle()).toBe(height !== NEWEST);
    expect("path" in bundle()).toBe(height !== NEWEST);
    expect(bundle().keys).toEqual(keys);
  });
});

describe("whatever is changed in a bundle, it is refused:", () => {
  /** Every place of a bundle with bytes: its name, and how to change them. */
  const places = ["head", "header", "proof", "inclusion", "path", "keys"] as const;

  /** The same bundle with the digit at a position of a member's bytes changed by one bit. */
  function changed(
    bundle: AnswerBundle,
    place: (typeof places)[number],
    position: number,
  ): AnswerBundle {
    const copy = structuredClone(bundle);
    const flip = (hex: string) => {
      const digit = (parseInt(hex.charAt(position), 16) ^ 1).toString(16);
      return (hex.slice(0, position) + digit + hex.slice(position + 1)) as `0x${string}`;
    };
    const value = copy[place];
    if (Array.isArray(value)) value.splice(0, value.length, ...value.map(flip));
    else copy[place] = flip(value as string) as never;
    return copy;
  }

  test.each(places)("any digit of %s", async (place) => {
    const bundle = structuredClone(older);
    const value = bundle[place];
    const length = Array.isArray(value)
      ? Math.min(...value.map((hex) => hex.length))
      : (value ?? "").length;
    expect(length).toBeGreaterThan(10);
    for (let position = 2; position < length; position++) {
      const error = await rejection(verifyBundle(changed(bundle, place, position), { checkpoint }));
      expect(["malformed", "mismatch", "untrusted"]).toContain(error.code);
    }
  });

  const others: [string, (bundle: AnswerBundle) => object, string][] = [
    ["another kind", (bundle) => ({ ...bundle, kind: "AvlBatch" }), ""],
    ["a key less", (bundle) => ({ ...bundle, keys: bundle.keys.slice(1) }), "mismatch"],
    ["a key more", (bundle) => ({ ...bundle, keys: [...bundle.keys, alice] }), "mismatch"],
    ["keys in another order", (bundle) => ({ ...bundle, keys: [...keys].reverse() }), "mismatch"],
    ["no keys", (bundle) => ({ ...bundle, keys: [] }), "mismatch"],
    ["a path less", (bundle) => ({ ...bundle, inclusion: [] }), "untrusted / not_extending"],
    ["a head as the header", ({ head, ...bundle }) => ({ ...bundle, head, header: head }), ""],
    ["another bundle's proof", (bundle) => ({ ...bundle, proof: newest.proof }), "mismatch"],
    [
      "another bundle's header",
      (bundle) => ({ ...bundle, header: beforePinned.header }),
      "untrusted / not_an_ancestor",
    ],
  ];
  test.each(others)("%s", async (_, change, expected) => {
    const error = await rejection(verifyBundle(change(older) as AnswerBundle, { checkpoint }));
    expect(verdict(error)).toContain(expected);
  });
});

describe("what does not have the form of a bundle is an invalid argument:", () => {
  const required = ["kind", "scheme", "head", "inclusion", "keys", "proof"] as const;
  const invalid = async (bundle: unknown) => {
    const error = await rejection(verifyBundle(bundle as AnswerBundle, { checkpoint }));
    expect(["invalid_input / invalid_argument", "unsupported / unknown_statement"]).toContain(
      verdict(error),
    );
  };

  test.each(required)("%s missing, null, or a number", async (member) => {
    const without: Partial<AnswerBundle> = { ...older };
    Reflect.deleteProperty(without, member);
    await invalid(without);
    await invalid({ ...older, [member]: null });
    await invalid({ ...older, [member]: 1 });
  });

  test.each(["header", "path"] as const)("%s without the other one", async (member) => {
    const without: Partial<AnswerBundle> = { ...older };
    Reflect.deleteProperty(without, member);
    await invalid(without);
  });

  test("a further member, another scheme, or no object", async () => {
    await invalid({ ...older, checkpoint });
    await invalid({ ...older, scheme: "mpt" });
    await invalid([older]);
    await invalid(JSON.stringify(older));
    await invalid(null);
  });

  test("bytes that are not hex", async () => {
    await invalid({ ...older, proof: older.proof.slice(2) });
    await invalid({ ...older, inclusion: [...older.inclusion, "0x00"] });
  });
});

describe("what the caller trusts decides:", () => {
  test("another chain's checkpoint", async () => {
    const error = await rejection(verifyBundle(newest, { checkpoint: network.other.pinned }));
    expect(verdict(error)).toBe("untrusted / wrong_chain");
  });

  test("another checkpoint of the chain, for which the bundle has no path", async () => {
    const error = await rejection(verifyBundle(newest, { checkpoint: network.genesis }));
    expect(verdict(error)).toBe("untrusted / not_extending");
  });

  test("another hash", async () => {
    const other: Checkpoint = { ...checkpoint, headerHash: `0x${"11".repeat(32)}` };
    const error = await rejection(verifyBundle(newest, { checkpoint: other }));
    expect(verdict(error)).toBe("untrusted / not_extending");
  });

  test("the clock and the largest age", async () => {
    const { header } = await verifyBundle(newest, { checkpoint });
    const made = header.timestampMs;
    const trust = { checkpoint, maxHeadAge: 1000n, maxClockSkew: 10n };
    await verifyBundle(newest, { ...trust, now: made + 1000n });
    await verifyBundle(newest, { ...trust, now: made - 10n });
    const late = await rejection(verifyBundle(newest, { ...trust, now: made + 1001n }));
    expect(verdict(late)).toBe("untrusted / head_too_old");
    const early = await rejection(verifyBundle(newest, { ...trust, now: made - 11n }));
    expect(verdict(early)).toBe("untrusted / head_in_future");
  });

  test.each<[string, object]>([
    ["a misspelt age", { maxHeadage: 1n }],
    ["an age that is a number", { maxHeadAge: 1 }],
    ["a time that is a number", { now: 1 }],
  ])("%s is refused", async (_, trust) => {
    const error = await rejection(verifyBundle(newest, { checkpoint, ...trust }));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
  });
});

describe("an answer is plain data", () => {
  const ask = async (): Promise<Answer> => {
    const client = await LightClient.connect({ urls: [network.url], checkpoint });
    return client.get({ text: "account/alice" });
  };

  test("that structuredClone keeps", async () => {
    const answer = await ask();
    expect(answer.evidence.scheme).toBe("avl");
    expect(toHex(answer.key)).toBe(alice);
    expect(structuredClone(answer)).toEqual(answer);
  });

  test("of which only the client's own becomes a bundle", async () => {
    const answer = await ask();
    expect(toBundle(answer).keys).toEqual([alice]);
    const error = refusal(() => toBundle(structuredClone(answer)));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
  });
});
