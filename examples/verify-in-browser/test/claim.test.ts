import { toHex, VerifyError } from "prooflight";
import { init, verifyBatch, verifyErgoAdProofs } from "prooflight/avl";
import { beforeAll, describe, expect, test } from "vitest";

import { type Claim, decode, readStatements } from "../src/claim.js";
import { liesAbout } from "../src/lies.js";
import { NotAProof } from "../src/not-a-proof.js";
import { FILES, readVectors, tests } from "./vectors.js";

beforeAll(() => init());

describe.each(FILES)("%s", (name) => {
  const statements = readStatements(readVectors(name), name);
  const vectors = tests(name);

  test("every statement is judged as the vector says", () => {
    expect(statements.map(({ title }) => title)).toEqual(vectors.map(({ comment }) => comment));
    const judgements = statements.map((statement) => judge(() => decode(statement)));
    const misjudged = vectors.filter((vector, i) => {
      const { result, expected, expectedError, expectedReason } = vector;
      const judgement = judgements[i] ?? { code: "none", reason: "none" };
      if ("digest" in judgement) {
        return result !== "valid" || judgement.digest !== (expected?.digest ?? judgement.digest);
      }
      const { code, reason } = judgement;
      const asSaid = code === (expectedError ?? code) && reason === (expectedReason ?? reason);
      return result !== "invalid" || !asSaid;
    });
    expect(misjudged.map(({ comment }) => comment)).toEqual([]);
  });

  test("every lie about a true statement is refused", () => {
    const truths = statements.filter((_, i) => vectors[i]?.result === "valid");
    const believed = truths.flatMap((statement) =>
      liesAbout(decode(statement))
        .filter(({ claim }) => "digest" in judge(() => claim))
        .map((lie) => `${lie.name}: ${statement.title}`),
    );
    expect(believed).toEqual([]);
  });
});

describe("what is not a proof file says why", () => {
  test.each([
    ["no JSON", "hello", /^It is not JSON: Unexpected token/],
    ["an empty file", "", /^It is not JSON: Unexpected end/],
    ["an array", "[]", "It should be a JSON object."],
    ["no kind", "{}", 'It has no "kind", so there is no telling what it claims.'],
    [
      "an unknown kind",
      '{ "kind": "Oracle" }',
      'Its kind is "Oracle"; this page supports ErgoAdProofs and AvlBatch.',
    ],
    ["an unknown scheme", '{ "scheme": "mpt" }', 'Its scheme is "mpt"; this page supports avl.'],
    ["no tests", '{ "testGroups": [] }', "It has no tests."],
    [
      "edits of another test",
      '{ "base": 1, "edits": [] }',
      "It is written as edits of another test: choose the whole file.",
    ],
    [
      "edits of a test that is missing",
      '{ "testGroups": [{ "type": "AvlBatch", "tests": [{ "base": 1, "edits": [] }] }] }',
      "The input should be a JSON object.",
    ],
    [
      "edits that do not fit",
      '{ "testGroups": [{ "type": "AvlBatch", "tests": [{ "base": 1, "edits": [{}] }] }] }',
      "It has tests whose edits do not fit their base.",
    ],
    ["groups that are none", '{ "testGroups": 1 }', "testGroups should be an array."],
    [
      "no length of values",
      '{ "kind": "AvlBatch" }',
      "It has no valueLength: a number, or null if values have different lengths.",
    ],
    [
      "bytes that are not hexadecimal",
      '{ "kind": "ErgoAdProofs", "proof": "0xzz" }',
      'Its proof is not hexadecimal: "zz" at position 2.',
    ],
    [
      "bytes in parts that have another form",
      '{ "kind": "ErgoAdProofs", "input": { "proof": { "joined": [{ "repeat": "0x00" }] } } }',
      "The parts of a value should be bytes, arrays, or objects with only repeat and times.",
    ],
    [
      "bytes in parts that are too long",
      '{ "kind": "ErgoAdProofs", "input": { "proof": { "joined": [{ "repeat": "0x00", "times": 16777217 }] } } }',
      "Its values in parts have more than 16 MiB or 131,072 items.",
    ],
    [
      "an array in parts that is too long",
      '{ "kind": "AvlBatch", "input": { "valueLength": 1, "ops": { "joined": [{ "repeat": [{}], "times": 131073 }] } } }',
      "Its values in parts have more than 16 MiB or 131,072 items.",
    ],
  ])("%s", (_, text, message) => {
    const read = () => readStatements(text, "file.json").map(decode);
    expect(read).toThrow(NotAProof);
    expect(read).toThrow(message);
  });
});

type Judgement = { digest: string } | { code: string; reason: string };

function judge(claim: () => Claim): Judgement {
  try {
    const { kind, input } = claim();
    const verified = kind === "ErgoAdProofs" ? verifyErgoAdProofs(input) : verifyBatch(input);
    return { digest: toHex(verified.digest) };
  } catch (error) {
    if (error instanceof VerifyError) return { code: error.code, reason: error.reason };
    // The vectors call a file that cannot be read an argument that is wrong.
    if (error instanceof NotAProof) return { code: "invalid_input", reason: "invalid_argument" };
    throw error;
  }
}
