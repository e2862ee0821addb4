import { describe, expect, test } from "vitest";

import { runVectors } from "../src/vectors/run.js";
import { rejection, verdict } from "./refusal.js";

/** An empty dictionary of keys of one byte, and the proof that 01 is absent. */
const input = {
  keyLength: 1,
  valueLength: null,
  digest: "0x931febe9170def63e50b66e4f923a9af40ac80ee43342ebf4fde9f0d5d1fc45900",
  ops: [{ op: "Lookup", key: "0x01" }],
  proof: "0x0200ff0000000004",
  mode: "strict",
};
const expected = {
  digest: input.digest,
  results: [null],
  neighbours: [{ previous: null, next: null }],
};
const bare = { tcId: 1, comment: "", flags: [], input, result: "valid" };
const valid = { ...bare, expected };
const invalid = { ...bare, result: "invalid" };

const file = (test: unknown, changes: object = {}, type = "AvlBatch") =>
  JSON.stringify({
    schema: "schema/vectors_v1.json",
    numberOfTests: 1,
    testGroups: [{ type, tests: [test] }],
    ...changes,
  });

const group = { type: "AvlBatch", tests: [valid] };

const failureOf = async (test: unknown) => {
  const [report] = await runVectors(file(test));
  return report?.outcome === "passed" ? undefined : (report?.failure ?? report);
};

describe("a test passes", () => {
  const wrongRoot = { ...input, digest: `0x${"11".repeat(32)}00` };
  test.each([
    ["when everything that is expected is found", valid],
    ["when nothing is expected of a valid one", bare],
    ["when an invalid one is refused", { ...invalid, input: wrongRoot }],
    [
      "when it is refused with the code and reason that are expected",
      {
        ...invalid,
        input: wrongRoot,
        expectedError: "mismatch",
        expectedReason: "root_mismatch",
      },
    ],
    [
      "when input of the wrong form is called invalid",
      { ...invalid, input: { ...input, keyLength: "1" }, expectedError: "invalid_input" },
    ],
  ])("%s", async (_, test) => {
    expect(await failureOf(test)).toBeUndefined();
  });
});

const repeated = (repeat: unknown, times: unknown, more: object = {}) => ({
  joined: [{ repeat, times, ...more }],
});

describe("long bytes are put in:", () => {
  const proof = { joined: ["0x0200Ff", { repeat: "0x00", times: 4 }, "0x", "0x04"] };
  const half = repeated("0x0000", 2 ** 22);
  test.each([
    ["where they are asked for", { ...valid, input: { ...input, proof } }],
    [
      "up to 16 MiB, of which no byte is left out",
      {
        ...invalid,
        input: { ...input, proof: half, ops: [{ op: "Lookup", key: half }] },
        expectedReason: "key_length",
      },
    ],
    [
      "where one part has 5 MiB",
      {
        ...invalid,
        input: { ...input, proof: { joined: [`0x${"00".repeat(5 << 20)}`] } },
        expectedError: "malformed",
      },
    ],
  ])("%s", async (_, test) => {
    expect(await failureOf(test)).toBeUndefined();
  });

  test.each([
    ["no array", { joined: "0x04" }],
    ["another member", { joined: ["0x04"], more: 1 }],
    ["no bytes", { joined: ["04"] }],
    ["a part of half a byte", { joined: ["0x0"] }],
    ["0X", { joined: ["0X04"] }],
    ["an array beside bytes", { joined: ["0x04", ["0x04"]] }],
    ["bytes beside an array", { joined: [["0x04"], "0x04"] }],
    ["joined in an item", { joined: [[{ joined: [] }]] }],
    ["131,073 items", repeated([null], 2 ** 17 + 1)],
    ["a part without times", { joined: [{ repeat: "0x04" }] }],
    ["a part with another member", repeated("0x04", 1, { more: 1 })],
    ["times as text", repeated("0x04", "1")],
    ["times below 0", repeated("0x04", -1)],
    ["times of 2^32", repeated("0x", 2 ** 32)],
    ["16 MiB and a byte", repeated("0x04", 2 ** 24 + 1)],
    ["2^63 bytes and more", repeated("0x0404040404", 2 ** 32 - 1)],
  ])("not with %s", async (_, proof) => {
    const test = { ...invalid, input: { ...input, proof } };
    expect(await failureOf(test)).toMatch(/an input with/);
  });
});

test("items of an array are put in, also of what is expected", async () => {
  const ops = { joined: [{ repeat: input.ops, times: 2 }, [], input.ops] };
  const results = { joined: [{ repeat: [null], times: 3 }] };
  const expected = { digest: input.digest, results };
  expect(await failureOf({ ...valid, input: { ...input, ops }, expected })).toBeUndefined();
});

describe("an input of edits", () => {
  /** What becomes of a test that edits the input of the one before it. */
  const outcomeOf = async (edits: unknown, more: object = {}) => {
    const edited = { tcId: 2, comment: "", flags: [], base: 1, edits, result: "valid", expected };
    const tests = [valid, { ...edited, ...more }];
    const changes = { numberOfTests: 2, testGroups: [{ type: "AvlBatch", tests }] };
    const [, report] = await runVectors(file({}, changes));
    return report?.failure;
  };

  test.each([
    ["without any", []],
    ["that puts bytes in", [{ at: ["ops", 0, "key"], from: 0, cut: 1, put: "0x01" }]],
    ["that adds a member", [{ at: ["limits"], set: { maxOperations: 1 } }]],
    ["that takes one away", [{ at: ["mode"], remove: true }]],
    [
      "that follow one another",
      [
        { at: ["ops"], from: 0, cut: 1, put: [] },
        { at: ["ops"], set: [null] },
        { at: ["ops", 0], set: input.ops[0] },
      ],
    ],
  ])("%s", async (_, edits) => {
    expect(await outcomeOf(edits)).toBeUndefined();
  });

  test("is another one than its base", async () => {
    const edits = [{ at: ["proof"], from: 8, cut: 0, put: "0x00" }];
    expect(await outcomeOf(edits)).toMatch(/^refused: .*directions_left_over/);
  });

  test.each([
    ["of no base", [], { base: 3 }],
    ["of itself", [], { base: 2 }],
    ["beside an input", [], { input }],
    ["that are no array", {}, {}],
    ["without the place", [{ set: 1 }], {}],
    ["of the whole input", [{ at: [], set: input }], {}],
    ["of a member that is not there", [{ at: ["limits", "maxOperations"], set: 1 }], {}],
    ["of an item that is not there", [{ at: ["ops", 1], set: null }], {}],
    ["of an item by a name", [{ at: ["ops", "0"], set: null }], {}],
    ["that remove what is not there", [{ at: ["limits"], remove: true }], {}],
    ["that remove and do not", [{ at: ["mode"], remove: false }], {}],
    ["that remove an item", [{ at: ["ops", 0], remove: true }], {}],
    ["after the end", [{ at: ["proof"], from: 8, cut: 1, put: "0x" }], {}],
    ["of text that is no bytes", [{ at: ["mode"], from: 0, cut: 0, put: "0x" }], {}],
    ["of half a byte", [{ at: ["proof"], from: 0, cut: 0, put: "0x0" }], {}],
    ["of items by bytes", [{ at: ["ops"], from: 0, cut: 0, put: "0x" }], {}],
    ["with another member", [{ at: ["mode"], set: "compat", more: 1 }], {}],
  ])("%s is refused", async (_, edits, more) => {
    const error = await rejection(outcomeOf(edits, more));
    expect(verdict(error)).toBe("invalid_input / invalid_argument");
  });
});

describe("a test fails", () => {
  test.each([
    ["another digest", { ...valid, expected: { ...expected, digest: "0x00" } }, /^digest: /],
    ["another value", { ...valid, expected: { results: ["0x"] } }, /^results: /],
    ["a result more", { ...valid, expected: { results: [null, null] } }, /^results: /],
    [
      "another neighbour",
      { ...valid, expected: { neighbours: [{ previous: "0x00", next: null }] } },
      /^neighbours: /,
    ],
    ["an unknown expectation", { ...valid, expected: { root: "0x" } }, /^root: not part/],
    ["an accepted invalid one", invalid, /^accepted$/],
    ["a refused valid one", { ...valid, input: { ...input, proof: "0x" } }, /^refused: /],
    [
      "another code",
      { ...invalid, input: { ...input, proof: "0x" }, expectedError: "mismatch" },
      /^expected mismatch, found malformed /,
    ],
    [
      "another reason",
      {
        ...invalid,
        input: { ...input, proof: "0x" },
        expectedError: "malformed",
        expectedReason: "trailing_bytes",
      },
      /^expected trailing_bytes, found /,
    ],
  ])("with %s", async (_, test, failure) => {
    expect(await failureOf(test)).toMatch(failure);
  });
});

describe("an invalid test passes if it is refused with the code and the reason that it pins:", () => {
  const outcomes: [outcome: string, input: object, code?: string, reason?: string][] = [
    ["wrong form", { ...input, mode: "lax" }, "invalid_input", "invalid_argument"],
    ["truncated", { ...input, proof: "0x" }, "malformed", "truncated"],
    ["accepted", input],
  ];
  const codes = [undefined, "malformed", "mismatch", "invalid_input", "nonsense"];
  const reasons = [undefined, "truncated", "root_mismatch", "invalid_argument", "nonsense"];
  const table = outcomes.flatMap(([outcome, input, code, reason]) =>
    codes.flatMap((expectedError) =>
      reasons.map((expectedReason) => {
        const test = {
          ...{ ...invalid, input },
          ...(expectedError && { expectedError }),
          ...(expectedReason && { expectedReason }),
        };
        const passes =
          code !== undefined &&
          [code, undefined].includes(expectedError) &&
          [reason, undefined].includes(expectedReason);
        return { outcome, expectedError, expectedReason, test, passes };
      }),
    ),
  );
  test.each(table)("$outcome, $expectedError, $expectedReason", async ({ test, passes }) => {
    expect((await failureOf(test)) === undefined).toBe(passes);
  });
});

test("a group type that is not known is reported and not run", async () => {
  const [report] = await runVectors(file(valid, {}, "MadeUpProof"));
  expect(report).toMatchObject({ tcId: 1, outcome: "unsupported" });
});

describe("what is not a vector file is refused:", () => {
  test.each([
    ["no JSON", "{"],
    ["another schema", file(valid, { schema: "schema/vectors_v2.json" })],
    ["a wrong number of tests", file(valid, { numberOfTests: 2 })],
    ["no tests", file(valid, { numberOfTests: 0, testGroups: [] })],
    ["no groups", file(valid, { testGroups: undefined })],
    ["a group that is null", file(valid, { testGroups: [null] })],
    ["a third result", file({ ...valid, result: "acceptable" })],
    ["a test without number", file({ ...valid, tcId: undefined })],
    ["a test without input", file({ ...valid, input: undefined })],
    ["an unknown member", file(valid, { header: {} })],
    ["a group with an unknown member", file(valid, { testGroups: [{ ...group, source: "" }] })],
    ["a test with a misspelt expectation", file({ ...bare, Expected: expected })],
    ["a test with a misspelt code", file({ ...invalid, expectederror: "mismatch" })],
    ["a test with a misspelt reason", file({ ...invalid, ExpectedReason: "root_mismatch" })],
    [
      "two tests of one number",
      file({}, { numberOfTests: 2, testGroups: [group, { ...group, tests: [bare] }] }),
    ],
    ["a valid test that expects a refusal", file({ ...valid, expectedError: "mismatch" })],
    ["an invalid test that expects an answer", file({ ...invalid, expected })],
    ["an expectation that is null", file({ ...bare, expected: null })],
    ["an expected code that is no string", file({ ...invalid, expectedError: 1 })],
  ])("%s", async (_, text) => {
    expect(verdict(await rejection(runVectors(text)))).toBe("invalid_input / invalid_argument");
  });
});
