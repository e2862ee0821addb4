/** LMPT's answers: verified at every block, with the layer that settled each key. */

import { describe, expect, test, vi } from "vitest";

import { fromHex, type Hex, type Layer, toBundle, toHex, verifyBundle } from "../../src/index.js";
import { init, verifyLmptProof } from "../../src/lmpt.js";
import {
  account,
  alice,
  blocks,
  deleted,
  empty,
  ERA_BLOCKS,
  NEWEST,
  nobody,
  stateAt,
} from "../network/state.js";
import { connect, network } from "./network.js";

const scheme = "lmpt";
const users = Array.from({ length: 60 }, (_, index) => account(`user ${index}`));
const keys = [alice, deleted, empty, nobody, ...users];

/** The layer that settles a key after a block, by the blocks' operations. */
function layerAt(height: bigint, key: Hex): Layer {
  const ended = Number(height) - (Number(height) % ERA_BLOCKS);
  const last = blocks
    .slice(0, Number(height))
    .map((operations) => operations.some((operation) => operation.key === key))
    .lastIndexOf(true);
  if (last >= ended) return "delta";
  return last >= Math.max(0, ended - ERA_BLOCKS) ? "intermediate" : "snapshot";
}

test("what has a value, and where, is proven after each block", async () => {
  const client = await connect();
  for (let at = 1n; at <= NEWEST; at++) {
    const answers = await client.getMany(keys, { scheme, at });
    expect(
      answers.map((answer) => [
        answer.kind === "present" ? toHex(answer.value) : undefined,
        answer.layer,
      ]),
    ).toEqual(keys.map((key) => [stateAt(at).get(key), layerAt(at, key)]));
  }
});

describe("get", () => {
  test("gives a value with its layer, and the block that it holds at", async () => {
    const client = await connect();
    const answer = await client.get(alice, { scheme });
    expect(answer).toMatchObject({
      ...{ kind: "present", value: fromHex(stateAt(NEWEST).get(alice) ?? ""), layer: "delta" },
      ...{ key: fromHex(alice), block: client.head, evidence: { scheme, head: client.head } },
    });
    expect(answer).not.toHaveProperty("since");
  });

  test("tells a recent deletion from what no layer has", async () => {
    const client = await connect();
    expect(await client.get(deleted, { scheme })).toMatchObject({
      ...{ kind: "absent", layer: "intermediate" },
    });
    expect(await client.get(nobody, { scheme })).toMatchObject({
      ...{ kind: "absent", layer: "snapshot" },
    });
  });
});

test.each(["latest", 9n] as const)("an answer at %s is saved, and verified again", async (at) => {
  const client = await connect();
  const [answer, ...others] = await client.getMany(keys, { scheme, at });
  if (!answer) throw new Error("no answer");
  const bundle = toBundle(answer);
  vi.stubGlobal("fetch", undefined);
  const { header, results } = await verifyBundle(bundle, { checkpoint: network.pinned });
  vi.unstubAllGlobals();
  expect(header).toEqual(answer.block);
  expect(results.map(({ kind, layer }) => [kind, layer])).toEqual(
    [answer, ...others].map(({ kind, layer }) => [kind, layer]),
  );
});

test("the root of a header proves the same without a client", async () => {
  const client = await connect();
  const answer = await client.get(deleted, { scheme });
  await init();
  const root = answer.block.roots.lmpt ?? new Uint8Array();
  const proof = fromHex(toBundle(answer).proof);
  expect(verifyLmptProof({ root, keys: [fromHex(deleted)], proof })).toEqual([
    { kind: "absent", layer: "intermediate" },
  ]);
});
