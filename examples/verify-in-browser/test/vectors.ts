// The repository's test vectors, which the page must judge as they say.

import { readFileSync, readdirSync } from "node:fs";

import { whole } from "../../../test-vectors/schema/whole.mjs";

const FOLDER = new URL("../../../test-vectors/avl/", import.meta.url);

/** One test of a vector file. */
export interface Test {
  comment: string;
  input: Record<string, unknown> & { ops: { op: string }[]; proof: string };
  result: "valid" | "invalid";
  expected?: { digest?: string };
  expectedError?: string;
  expectedReason?: string;
}

/** The names of the vector files. */
export const FILES = readdirSync(FOLDER);

/** The text of a vector file. */
export const readVectors = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");

/** The tests of a vector file, in order, with whole inputs. */
export function tests(name: string): Test[] {
  const file = JSON.parse(readVectors(name)) as { testGroups: { tests: Test[] }[] };
  return whole(file).testGroups.flatMap((group) => group.tests);
}

/** The test of a block of Ergo's mainnet. */
export function block(height: number): Test {
  const found = tests("ergo_mainnet.json").find(({ comment }) => comment.endsWith(String(height)));
  if (!found) throw new Error(`no block ${height} in the vectors`);
  return found;
}
