/** Where a client starts: a checkpoint that is whole, or nothing. */

import { describe, expect, test, vi } from "vitest";

import { type Checkpoint, LightClient, parseCheckpoint } from "../../src/index.js";
import { alice, NEWEST } from "../network/state.js";
import { begin, connect, failures, network, pay } from "./network.js";
import { refusal, rejection, verdict } from "../refusal.js";

const good = network.pinned;
const invalid = "invalid_input / invalid_argument";

test("the exported checkpoint is the newest head, and a client starts from it", async () => {
  const client = await connect();
  const exported = client.exportCheckpoint();
  expect(exported).toMatchObject({ config: good.config, height: `0x${NEWEST.toString(16)}` });
  const saved = parseCheckpoint(JSON.stringify(exported));
  const again = await connect({ checkpoint: saved });
  expect(again.head).toEqual(client.head);
  expect((await again.get(alice, { at: 1n })).kind).toBe("absent");
  expect(again.exportCheckpoint()).toEqual(exported);
});

test("it follows the head, and is a copy", async () => {
  const node = await begin();
  const client = await connect({ urls: [node.url], checkpoint: node.checkpoint });
  const first = client.exportCheckpoint();
  expect(first).toEqual(node.checkpoint);
  await pay(node, "1.00");
  await client.sync();
  const second = client.exportCheckpoint();
  expect([first.height, second.height]).toEqual(["0x0", "0x1"]);
  second.config.quorum = 0;
  second.headerHash = "0x";
  expect(client.exportCheckpoint()).toMatchObject({
    height: "0x1",
    config: node.checkpoint.config,
  });
});

test("what is done to a checkpoint after connect changes nothing", async () => {
  const checkpoint = structuredClone(good);
  const asked = connect({ checkpoint });
  checkpoint.config.authorities = [];
  checkpoint.headerHash = `0x${"00".repeat(32)}`;
  const client = await asked;
  expect(client.exportCheckpoint().config).toEqual(good.config);
  expect((await client.get(alice)).kind).toBe("present");
});

/** Every object in a checkpoint, by the members that lead to it. */
const objects = [[], ["config"], ["config", "limits"], ["config", "schemes", "0"]];

/** Every member of a checkpoint, by the members that lead to it. */
const members = objects.flatMap((path) =>
  Object.keys(at(good, path) as object).map((name) => [...path, name]),
);

function at(value: unknown, path: string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown>)[name], value);
}

/** A copy in which the object that the path leads to was changed. */
function altered(path: string[], change: (object: Record<string, unknown>) => void): Checkpoint {
  const copy = structuredClone(good);
  change(at(copy, path) as Record<string, unknown>);
  return copy;
}

async function refused(checkpoint: unknown): Promise<void> {
  const fetched = vi.fn(fetch);
  const options = { urls: [network.url], checkpoint: checkpoint as Checkpoint, fetch: fetched };
  expect(verdict(await rejection(LightClient.connect(options)))).toBe(invalid);
  expect(fetched).not.toHaveBeenCalled();
  expect(verdict(refusal(() => parseCheckpoint(JSON.stringify(checkpoint))))).toBe(invalid);
}

describe("a checkpoint of another form is refused before anybody is asked, and nothing filled in:", () => {
  test.each(members.map((path) => [path.join("."), path]))("%s", async (_, path) => {
    const [parent, name] = [path.slice(0, -1), path.at(-1) ?? ""];
    await refused(
      altered(parent, (object) => {
        Reflect.deleteProperty(object, name);
      }),
    );
    // No member may be any of these.
    for (const wrong of [null, true, -1, 0.5, 2 ** 40, "", "x", "0x0g", [1.5], { a: 1 }]) {
      if (name === "chainId" && typeof wrong === "string") continue;
      await refused(
        altered(parent, (object) => {
          object[name] = wrong;
        }),
      );
    }
  });

  test.each(objects.map((path) => [path.join(".") || "the whole", path] as const))(
    "a further member of %s",
    async (_, path) => {
      await refused(
        altered([...path], (object) => {
          object["trusted"] = true;
        }),
      );
    },
  );

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["its text", JSON.stringify(good)],
    ["a list of it", [good]],
    ["only its hash", { headerHash: good.headerHash }],
    ["a height with a leading zero", { ...good, height: "0x02" }],
    ["a height of 65 bits", { ...good, height: "0x10000000000000000" }],
    ["a height as a number", { ...good, height: 2 }],
    ["a height as a bigint in text", { ...good, height: "2" }],
    ["a hash of 31 bytes", { ...good, headerHash: good.headerHash.slice(0, -2) }],
    ["a hash with 0X", { ...good, headerHash: good.headerHash.replace("0x", "0X") }],
    ["half a surrogate pair", { ...good, config: { ...good.config, chainId: "\ud800" } }],
    ["members that are inherited", Object.create(good)],
  ])("%s", async (_, checkpoint) => {
    await refused(checkpoint);
  });

  test("text that is no JSON", () => {
    expect(verdict(refusal(() => parseCheckpoint("{")))).toBe(invalid);
  });
});

describe("a checkpoint that no server's chain has is refused:", () => {
  const { config } = good;
  const authorities: Checkpoint["config"]["authorities"] = [`0x${"11".repeat(32)}`];
  test.each<[string, Partial<Checkpoint>, string]>([
    ["another chain's", network.other.pinned, "untrusted / wrong_chain"],
    ["other authorities", { config: { ...config, authorities } }, "untrusted / wrong_chain"],
    ["another name", { config: { ...config, chainId: "x" } }, "untrusted / wrong_chain"],
    ["a quorum of none", { config: { ...config, quorum: 0 } }, "invalid_input / invalid_config"],
    [
      "a quorum of all and one",
      { config: { ...config, quorum: 2 } },
      "invalid_input / invalid_config",
    ],
    ["no schemes", { config: { ...config, schemes: [] } }, "untrusted / wrong_chain"],
    ["a height that is not there yet", { height: "0xffff" }, "unavailable / unknown_block"],
    // The signed head has another header at that height: either is false, and nobody can say which.
    ["another hash", { headerHash: `0x${"11".repeat(32)}` }, "untrusted / equivocation"],
    ["the hash of another height", { height: "0x3" }, "untrusted / equivocation"],
  ])("%s", async (_, change, expected) => {
    const error = await rejection(connect({ checkpoint: { ...good, ...change } }));
    expect(verdict(error)).toBe(expected);
  });

  test("and a server of another chain is passed over", async () => {
    const { heard, onFailure } = failures();
    const client = await connect({ urls: [network.other.url, network.url], onFailure });
    expect(client.head.height).toBe(NEWEST);
    expect(heard).toEqual([{ url: `${network.other.url}/`, verdict: "untrusted / wrong_chain" }]);
  });
});
