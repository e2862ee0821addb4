/** `prooflight eth checkpoint`: a checkpoint on which several beacon nodes agree. */

import { describe, expect, test } from "vitest";

import { run } from "../node/command.js";
import { closing } from "./endpoint.js";
import { listen } from "./servers.js";

describe("a checkpoint of several beacon nodes", () => {
  const root = (digit: number) => `0x${String(digit).repeat(64)}`;
  /** A node with blocks at these slots, of which one is finalized. */
  async function node(finalized: number, blocks: Readonly<Record<number, string>>) {
    const header = (slot: number) => ({
      data: { root: blocks[slot], canonical: true, header: { message: { slot: String(slot) } } },
    });
    const { url, close } = await listen((asked) => {
      if (!("path" in asked)) return undefined;
      const [, id = ""] = /^\/eth\/v1\/beacon\/headers\/(\w+)$/.exec(asked.path) ?? [];
      if (id === "finalized") return header(finalized);
      return blocks[Number(id)] === undefined ? undefined : header(Number(id));
    });
    closing.push(close);
    return url;
  }
  /** The same server under another host. */
  const other = (url: string) => url.replace("127.0.0.1", "localhost");
  const checkpoint = (...urls: string[]) =>
    run("eth", "checkpoint", ...urls.flatMap((url) => ["--beacon", url]), "--json");

  test("is the finalized block on which all agree", async () => {
    const blocks = { 64: root(1), 96: root(2) };
    const urls = [await node(64, blocks), other(await node(64, blocks))];
    const { status, stdout } = await checkpoint(...urls);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ agreed: true, network: "mainnet", checkpoint: root(1) },
      ...{ slot: "64", timestamp: String(1_606_824_023 + 64 * 12) },
    });
    const shown = await run("eth", "checkpoint", ...urls.flatMap((url) => ["--beacon", url]));
    expect(shown.stdout).toMatch(new RegExp(`^✔ agreed {2}${root(1)}\n`));
    expect(shown.stdout).toMatch(/slot +64 {2}2020-12-01T12:13:11.000Z {2}\d+ days old/);
    expect(shown.stdout).toContain("as good as the most honest of these servers");
    for (const url of urls) expect(shown.stdout).toContain(new URL(url).host);
  });

  test("is the lowest one if a node is behind", async () => {
    const ahead = await node(96, { 64: root(1), 96: root(2) });
    const behind = other(await node(64, { 64: root(1) }));
    for (const urls of [
      [ahead, behind],
      [behind, ahead],
    ]) {
      const { status, stdout } = await checkpoint(...urls);
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ checkpoint: root(1), slot: "64" });
    }
  });

  test("is refused if they disagree, with what each says", async () => {
    const honest = await node(96, { 64: root(1), 96: root(2) });
    for (const [liar, said] of [
      [await node(96, { 96: root(3) }), root(3)],
      [await node(64, { 64: root(3) }), root(3)],
      [await node(63, { 63: root(3) }), "no block"],
    ] as const) {
      const urls = [honest, other(liar)];
      const { status, stdout } = await checkpoint(...urls);
      expect(status).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ agreed: false, checkpoint: null });
      const shown = await run("eth", "checkpoint", ...urls.flatMap((url) => ["--beacon", url]));
      expect(shown.status).toBe(1);
      expect(shown.stdout).toMatch(/^✘ no agreement {2}about the block at slot \d+\n/);
      expect(shown.stdout).toContain(said);
      for (const url of urls) expect(shown.stdout).toContain(new URL(url).host);
    }
  });

  test("needs an answer of every node, in its form", async () => {
    const honest = await node(64, { 64: root(1) });
    const silent = await checkpoint(honest, "http://localhost:1");
    expect(silent).toMatchObject({ status: 3 });
    const { url, close } = await listen(() => ({ data: { root: "0x12" } }));
    closing.push(close);
    const malformed = await checkpoint(honest, other(url));
    expect(malformed.status).toBe(3);
    expect(malformed.stderr).toContain("a header with its root");
  });

  test("needs two hosts", async () => {
    const [one, two] = [await node(64, { 64: root(1) }), await node(64, { 64: root(1) })];
    for (const urls of [[], [one], [one, one], [one, two], [`${one}/a`, `${one}/b`]]) {
      const { status, stdout } = await checkpoint(...urls);
      expect(status).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ error: { reason: "invalid_argument" } });
    }
  });
});
