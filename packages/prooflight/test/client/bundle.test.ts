/** Answers that are saved, and verified later without a server. */

import { beforeAll, describe, expect, test, vi } from "vitest";

import { type AnswerBundle, LightClient, toBundle, toHex, verifyBundle } from "../../src/index.js";
import { account, alice, empty, nobody, NEWEST, stateAt } from "../network/state.js";
import { network } from "./network.js";
import { rejection, verdict } from "../refusal.js";

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

test.each<[string, () => unknown, string]>([
  ["no kind", () => ({ ...older, kind: undefined }), "unsupported / unknown_statement"],
  ["another scheme", () => ({ ...older, scheme: "mpt" }), "unsupported / unknown_statement"],
  ["a checkpoint of its own", () => ({ ...older, checkpoint }), "invalid_input / invalid_argument"],
  ["a list around it", () => [older], "unsupported / unknown_statement"],
  ["its text", () => JSON.stringify(older), "invalid_input / invalid_argument"],
  ["null", () => null, "invalid_input / invalid_argument"],
])("a bundle is refused: %s", async (_, bundle, expected) => {
  const error = await rejection(verifyBundle(bundle() as AnswerBundle, { checkpoint }));
  expect(verdict(error)).toBe(expected);
});

test.each<[string, object]>([
  ["a misspelt age", { maxHeadage: 1n }],
  ["an age that is a number", { maxHeadAge: 1 }],
  ["a time that is a number", { now: 1 }],
])("%s is refused", async (_, trust) => {
  const error = await rejection(verifyBundle(newest, { checkpoint, ...trust }));
  expect(verdict(error)).toBe("invalid_input / invalid_argument");
});

test("an answer is plain data, which structuredClone keeps", async () => {
  const client = await LightClient.connect({ urls: [network.url], checkpoint });
  const answer = await client.get({ text: "account/alice" });
  expect(answer.evidence.scheme).toBe("avl");
  expect(toHex(answer.key)).toBe(alice);
  expect(structuredClone(answer)).toEqual(answer);
});
