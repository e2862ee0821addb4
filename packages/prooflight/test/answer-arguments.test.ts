/** What a caller passes to the verifiers of answers counts as it was passed, or is refused by name. */

import { afterEach, beforeAll, describe, expect, test } from "vitest";

import {
  type AnswerInput,
  type Checkpoint,
  decodeHeader,
  init,
  verifyAncestors,
  verifyAnswer,
  verifyState,
} from "../src/chain.js";
import { fromHex, type Hex } from "../src/index.js";
import { stateJson } from "../src/statement/answer.js";
import { init as initLvmt } from "../src/lvmt.js";
import { dictionary } from "./dictionary.js";
import { inputOf } from "./files.js";
import { refusal, verdict } from "./refusal.js";

const INVALID = "invalid_input / invalid_argument";

/** A valid answer about a block below its head. */
const saved = inputOf("chain/state_answer.json", "alice at block 0, by the head 3") as {
  checkpoint: Checkpoint;
  now: Hex;
} & Record<"head" | "header" | "proof", Hex> &
  Record<"inclusion" | "path" | "keys", Hex[]>;
const answer: AnswerInput = {
  scheme: "avl",
  checkpoint: saved.checkpoint,
  now: BigInt(saved.now),
  head: fromHex(saved.head),
  inclusion: saved.inclusion.map(fromHex),
  header: fromHex(saved.header),
  path: saved.path.map(fromHex),
  keys: saved.keys.map(fromHex),
  proof: fromHex(saved.proof),
};

beforeAll(() => Promise.all([init(), initLvmt()]));

afterEach(() => {
  for (const name of ["allowInsecureSetup", "verifyingKey", "header", "version", "deletedAt"]) {
    Reflect.deleteProperty(Object.prototype, name);
  }
});

const pollute = (name: string, value: unknown) =>
  Object.defineProperty(Object.prototype, name, { value, configurable: true });

describe("an older header is verified or refused, never passed over:", () => {
  const given = { path: answer.path, header: answer.header };
  test.each<[string, unknown]>([
    ["path", null],
    ["path", 0],
    ["path", ""],
    ["path", false],
    ["path", undefined],
    ["header", null],
    ["header", false],
    ["header", ""],
    ["header", undefined],
  ])("with a %s of %j", (name, value) => {
    const error = refusal(() => verifyAnswer({ ...answer, ...given, [name]: value }));
    expect(verdict(error)).toBe(INVALID);
    expect(error.details.expected).toMatch(`${name} to be `);
  });

  test("both make an answer about it", () => {
    expect(verifyAnswer(answer).header.encoded).toEqual(answer.header);
  });
});

describe("only the caller's own members count:", () => {
  test("an inherited permission is none", () => {
    const lvmt = inputOf("chain/state_answer_schemes.json") as typeof saved;
    const input = {
      scheme: "lvmt" as const,
      config: lvmt.checkpoint.config,
      header: fromHex(lvmt.header),
      keys: lvmt.keys.map(fromHex),
      proof: fromHex(lvmt.proof),
    };
    pollute("allowInsecureSetup", true);
    const whole = {
      ...{ checkpoint: lvmt.checkpoint, now: BigInt(lvmt.now), head: fromHex(lvmt.head) },
      ...{ inclusion: lvmt.inclusion.map(fromHex), path: lvmt.path.map(fromHex) },
    };
    const { config, ...rest } = input;
    expect(refusal(() => verifyState({ ...rest, config })).reason).toBe("insecure_setup");
    expect(refusal(() => verifyAnswer({ ...rest, ...whole })).reason).toBe("insecure_setup");
  });

  test("an inherited header is none", () => {
    const { header, ...rest } = answer;
    pollute("header", header);
    expect(verdict(refusal(() => verifyAnswer(rest as AnswerInput)))).toBe(INVALID);
  });

  test("what results inherit is not told", () => {
    pollute("version", 7n);
    pollute("deletedAt", 3n);
    expect(stateJson({ kind: "absent" })).toEqual({});
    expect(stateJson({ kind: "present", value: new Uint8Array([1]) })).toEqual({ value: "0x01" });
  });

  test.each([null, undefined, 0, "", []])("%j is no input", (input) => {
    expect(verdict(refusal(() => verifyAnswer(input as unknown as AnswerInput)))).toBe(INVALID);
  });

  test("a misspelt member is refused", () => {
    expect(verdict(refusal(() => verifyAnswer({ ...answer, maxheadAge: 1n } as AnswerInput)))).toBe(
      INVALID,
    );
  });
});

test("a checkpoint is read once", () => {
  const { config, ...rest } = saved.checkpoint;
  let reads = 0;
  const checkpoint = Object.defineProperty({ ...rest }, "config", {
    enumerable: true,
    get: () => (reads++ === 0 ? config : { ...config, limits: { ...config.limits, maxKey: 0 } }),
  });
  const { results } = verifyAnswer({ ...answer, checkpoint: checkpoint as Checkpoint });
  expect(results).toEqual(verifyAnswer(answer).results);
  expect(reads).toBe(1);
});

test("a header without its path is found before an unknown scheme", () => {
  const input = { ...answer, path: undefined, scheme: "new" } as unknown as AnswerInput;
  expect(verdict(refusal(() => verifyAnswer(input)))).toBe(INVALID);
});

test("a missing checkpoint is found before an unknown scheme", () => {
  const input = { ...answer, checkpoint: undefined, scheme: "new" };
  const error = refusal(() => verifyAnswer(input as unknown as AnswerInput));
  expect(verdict(error)).toBe(INVALID);
});

describe("a header that is none is refused, and no prover is lost:", () => {
  const prover = dictionary();
  const { digest } = prover;
  const lying = Object.defineProperty(new Uint8Array(4), "length", { value: 2 ** 31 });
  test.each<[string, unknown, string]>([
    ["undefined", undefined, INVALID],
    ["an array", [1, 2], INVALID],
    ["an object with a length", { length: 5 }, INVALID],
    ["bytes that lie about their length", lying, "malformed / invalid_encoding"],
    ["too many bytes", new Uint8Array(8 * 2 ** 20 + 1), "malformed / proof_too_large"],
  ])("%s", (_, header, expected) => {
    expect(verdict(refusal(() => decodeHeader(header as Uint8Array)))).toBe(expected);
    expect(prover.digest).toEqual(digest);
  });
});

describe("lists are bounded before they are copied:", () => {
  const large = new Uint8Array(2 ** 20);
  const list = new Array<Uint8Array>(65).fill(large);
  test.each<[string, () => unknown]>([
    ["keys", () => verifyAnswer({ ...answer, keys: list })],
    ["headers", () => verifyAncestors({ head: fromHex(saved.head), headers: list, hashes: [] })],
  ])("%s", (name, call) => {
    const error = refusal(call);
    expect(error.reason).toBe("proof_too_large");
    expect(error.details.expected).toMatch(name);
  });
});
