/** LVMT's answers: verified, refused where a server lies, and asked for where their shard is. */

import { describe, expect, test } from "vitest";

import type { Checkpoint, Hex, Options } from "../../src/index.js";
import { fromHex, toBundle, toHex, verifyBundle } from "../../src/index.js";
import { verifyLvmtProof } from "../../src/lvmt.js";
import { account, alice, deleted, empty, NEWEST, nobody, stateAt } from "../network/state.js";
import { rejection, refusal, verdict } from "../refusal.js";
import { connect as connectTo, failures, network } from "./network.js";

const { url, pinned: checkpoint } = network.lvmt;
const scheme = "lvmt";
const users = Array.from({ length: 60 }, (_, index) => account(`user ${index}`));

const connect = (options: Partial<Options> = {}) =>
  connectTo({ urls: [url], checkpoint, allowInsecureSetup: true, ...options });

const valueOf = (key: Hex) => fromHex(stateAt(NEWEST).get(key) ?? "0x");

test("its WebAssembly is loaded when it is asked for, and not before", async () => {
  const client = await connect();
  expect((await client.get(alice)).kind).toBe("present");
  const nothing = { paramsId: new Uint8Array(32), logN: 4, logArity: 2, height: 1n, keys: [] };
  const call = () =>
    verifyLvmtProof({ ...nothing, root: new Uint8Array(64), proof: new Uint8Array() });
  expect(verdict(refusal(call))).toBe("invalid_input / not_initialised");
  const loaded = () =>
    performance.getEntriesByType("resource").filter(({ name }) => name.includes("lvmt.wasm"));
  expect(loaded()).toEqual([]);
  await client.get(alice, { scheme });
  expect(verdict(refusal(call))).toBe("unsupported / unknown_setup");
  // In Node the file is read, not fetched.
  if ("document" in globalThis) expect(loaded()).toHaveLength(1);
});

describe("get", () => {
  test("gives a value with the block that set it", async () => {
    const client = await connect();
    expect(await client.get(alice, { scheme })).toMatchObject({
      ...{ kind: "present", value: valueOf(alice), since: NEWEST },
      ...{ key: fromHex(alice), block: client.head },
    });
    expect(await client.get(empty, { scheme })).toMatchObject({
      ...{ kind: "present", value: new Uint8Array(), since: 2n },
    });
  });

  test("tells a deleted key from one that was never written", async () => {
    const client = await connect();
    const gone = await client.get(deleted, { scheme });
    expect(gone).toMatchObject({ kind: "absent", deletedAt: 7n });
    const never = await client.get(nobody, { scheme });
    expect(never.kind).toBe("absent");
    expect(never).not.toHaveProperty("deletedAt");
  });

  test("gives many keys, some twice, with one proof", async () => {
    const client = await connect();
    const keys = [...users, nobody, deleted, alice, users[3] ?? alice];
    const answers = await client.getMany(keys, { scheme });
    for (const [index, answer] of answers.entries()) {
      const key = keys[index] ?? alice;
      const value = stateAt(NEWEST).get(key);
      expect(answer.kind).toBe(value === undefined ? "absent" : "present");
      if (answer.kind === "present") expect(toHex(answer.value)).toBe(value);
    }
    for (const { evidence } of answers) {
      expect(evidence.proofBytes).toBe(answers[0]?.evidence.proofBytes);
      expect(evidence.server).toBe(answers[0]?.evidence.server);
    }
  });

  test("refuses the development setup unless it is allowed", async () => {
    const client = await connect({ allowInsecureSetup: undefined });
    const error = await rejection(client.get(alice, { scheme }));
    expect(verdict(error)).toBe("unsupported / insecure_setup");
  });

  test("takes a verifying key of the chain's setup, and no other", async () => {
    const client = await connect({ verifyingKey: new Uint8Array(129) });
    const { heard, onFailure } = failures();
    const error = await rejection(client.get(alice, { scheme }));
    expect(verdict(error)).toBe("mismatch / setup_mismatch");
    onFailure({ url, error });
    expect(heard).toHaveLength(1);
  });
});

test("a saved answer is verified later, by whoever allows its setup", async () => {
  const client = await connect();
  const bundle = toBundle(await client.get(alice, { scheme }));
  const { results } = await verifyBundle(bundle, { checkpoint, allowInsecureSetup: true });
  expect(results).toMatchObject([{ kind: "present", value: valueOf(alice), since: NEWEST }]);
  expect(verdict(await rejection(verifyBundle(bundle, { checkpoint })))).toBe(
    "unsupported / insecure_setup",
  );
  const allowed = { ...bundle, allowInsecureSetup: true };
  expect(verdict(await rejection(verifyBundle(allowed, { checkpoint })))).toBe(
    "invalid_input / invalid_argument",
  );
  const asked = { ...bundle, keys: [nobody] };
  expect(
    verdict(await rejection(verifyBundle(asked, { checkpoint, allowInsecureSetup: true }))),
  ).toMatch(/^mismatch/);
});

test("a checkpoint of another setup is that of another chain", async () => {
  const params: Hex = `0x${"11".repeat(32)}1002`;
  const schemes = checkpoint.config.schemes.map((scheme) =>
    scheme.id === 2 ? { ...scheme, params } : scheme,
  );
  const other: Checkpoint = { ...checkpoint, config: { ...checkpoint.config, schemes } };
  expect((await rejection(connect({ checkpoint: other }))).code).toBe("untrusted");
});

describe("servers that prove a part of the keys", () => {
  /** Servers by name, all of them the same node; and who was asked for which keys, at which block. */
  function servers(down: readonly string[] = []) {
    const asked: { server: string; keys: Hex[]; at: string }[] = [];
    const ask: typeof fetch = async (to, init) => {
      const { hostname } = new URL(to instanceof Request ? to.url : to);
      const { method, params } = JSON.parse(init?.body as string) as {
        method: string;
        params: { keys: Hex[]; at: string };
      };
      if (method === "prooflight_prove") {
        asked.push({ server: hostname, ...params });
        if (down.includes(hostname)) throw new Error("down");
      }
      return fetch(url, init);
    };
    return { asked, fetch: ask };
  }

  const shard = (name: string, bits: number, value: number) => ({
    url: `http://${name}`,
    shard: { bits, value },
  });
  const quarters = [0, 1, 2, 3].map((value) => shard(`quarter${value}`, 2, value));

  test("together answer every key, about one block", async () => {
    const { asked, fetch } = servers();
    const client = await connect({ urls: quarters, fetch });
    const keys = [...users, nobody, deleted];
    const answers = await client.getMany(keys, { scheme });
    expect(answers.map(({ key }) => toHex(key))).toEqual(keys);
    for (const [index, answer] of answers.entries()) {
      const value = stateAt(NEWEST).get(keys[index] ?? alice);
      expect(answer.kind === "present" ? toHex(answer.value) : undefined).toBe(value);
    }
    expect(asked).toHaveLength(4);
    expect(asked.flatMap(({ keys }) => keys).sort()).toEqual([...keys].sort());
    expect(asked[0]?.at).toBe("latest");
    for (const { at } of asked.slice(1)) expect(at).toBe(toHex(client.head.hash));
    // Each answer's bundle has the keys of its own server.
    const trust = { checkpoint, allowInsecureSetup: true };
    const [first] = answers;
    if (first === undefined) throw new Error("no answer");
    const { keys: proved } = await verifyBundle(toBundle(first), trust);
    expect(proved.length).toBeLessThan(keys.length);
  });

  test("are asked for the keys of their class alone", async () => {
    const classes = new Map<string, Set<string>>();
    for (const urls of [quarters, [...quarters].reverse()]) {
      const { asked, fetch } = servers();
      const client = await connect({ urls, fetch });
      await client.getMany(users, { scheme });
      for (const { server, keys } of asked) {
        const seen = classes.get(server) ?? new Set();
        if (seen.size > 0) expect(new Set(keys)).toEqual(seen);
        classes.set(server, new Set(keys));
      }
    }
    expect(classes.size).toBe(4);
    const { asked, fetch } = servers();
    const client = await connect({ urls: quarters, fetch });
    await client.get("0x", { scheme });
    // Keccak-256 of nothing is 0xc5d2…: index 12 of 16, class 0.
    expect(asked.map(({ server }) => server)).toEqual(["quarter0"]);
  });

  test("stand in for each other where one fails", async () => {
    const { asked, fetch } = servers(["full", "quarter1"]);
    const { heard, onFailure } = failures();
    const urls = ["http://full", ...quarters, shard("half1", 1, 1)];
    const client = await connect({ urls, fetch, onFailure });
    const answers = await client.getMany(users, { scheme });
    expect(answers.every(({ kind }) => kind === "present")).toBe(true);
    expect(heard.map(({ url }) => new URL(url).hostname)).toEqual(["full", "quarter1"]);
    expect(asked.map(({ server }) => server)).toContain("half1");
  });

  test("are of no use for a key that none proves", async () => {
    const { asked, fetch } = servers();
    const client = await connect({ urls: quarters.slice(1), fetch });
    const error = await rejection(client.getMany(["0x"], { scheme }));
    expect(verdict(error)).toBe("unavailable / shard_unavailable");
    expect(asked).toEqual([]);
    // Of other schemes a server proves everything.
    expect((await client.get("0x")).kind).toBe("absent");
  });

  test("must be described rightly", async () => {
    for (const [wrong, says] of [
      [{ bits: 17, value: 0 }, "urls[0].shard.bits"],
      [{ bits: 2, value: 4 }, "urls[0].shard.value"],
      [{ bits: 2 }, "urls[0].shard.value"],
      [{ bits: 2, value: 0, of: 4 }, "urls[0].shard"],
      [undefined, "urls[0].shard"],
    ] as const) {
      const urls = [{ url, shard: wrong }] as never;
      const error = await rejection(connect({ urls }));
      expect(verdict(error)).toBe("invalid_input / invalid_argument");
      expect(error.message).toContain(says);
    }
  });
});
