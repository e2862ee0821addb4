/** What others wrote can neither command a terminal nor pass for a line of the command. */

import { createServer } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import { keyText, valueText } from "../../src/cli/chain.js";
import { readable, visible, wrap } from "../../src/cli/text.js";
import { network } from "../client/network.js";
import { statement } from "../files.js";
import { listen } from "../listen.js";
import { filesFolder, run, verdictOf, verify } from "./command.js";

const file = filesFolder();
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("bytes are shown as text if people can read it:", () => {
  test.each(["account/alice", "1250.00", "Zoë", "日本", "€ 5", "a b"])("%s", (text) => {
    expect(readable(utf8(text))).toBe(text);
  });

  test.each([
    ["nothing", ""],
    ["a mark of a verdict", "✔ verified"],
    ["two spaces, which stand between columns", "1.00  0x312e3030"],
    ["a space at the end", "alice "],
    ["another space", "account/alice\u00a0"],
    ["a line end", "1.00\n✔"],
    ["a character without a shape", "account/al\u200bice"],
    ["a letter without a shape", "account/\u3164"],
    ["a byte order mark", "\ufeffalice"],
    ["letters that move the digits beside them", "\u05d0\u05d1"],
    ["a tag", "a\u{e0041}"],
    ["more than fits in a line", "a".repeat(65)],
  ])("not %s", (_, text) => {
    expect(readable(utf8(text))).toBeUndefined();
  });

  test("not what is no UTF-8", () => {
    expect(readable(Uint8Array.of(0x61, 0xff))).toBeUndefined();
  });
});

test("every character that has no shape is written as JSON escapes it", () => {
  const evil = "a\u200bb\u00adc\ufeffd\u{e0041}e\u0000f\ue000g";
  const shown = visible(evil);
  expect(shown).toBe("a\\u200bb\\u00adc\\ufeffd\\udb40\\udc41e\\u0000f\\ue000g");
  expect(JSON.parse(`"${shown}"`)).toBe(evil);
});

test("a long message begins no line of a terminal but the first", () => {
  for (const filler of [" ", "x"]) {
    const message = `mismatch\n  ${filler.repeat(70)}✔ verified  block 7`;
    const lines = wrap(message, 80).split("\n");
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(80);
      expect(line).not.toMatch(/^✔/);
    }
    expect(lines.slice(1).every((line) => line.startsWith("  "))).toBe(true);
  }
});

const layered = statement("lmpt/proof.json", "a value in delta, and an older one in the snapshot");

describe("keys are whole:", () => {
  test.each([1, 31, 64, 65, 300])("%i bytes", (length) => {
    const key = new Uint8Array(length).fill(0xa5);
    expect(keyText(key).safe).toContain(`0x${"a5".repeat(length)}`);
    const alike = key.slice();
    alike[length >> 1] = 0;
    expect(keyText(alike).safe).not.toBe(keyText(key).safe);
  });

  test("a long value says how long it is", () => {
    expect(valueText(new Uint8Array(65)).safe).toMatch(/^0x(00){64}… {2}65 bytes$/);
    expect(valueText(new Uint8Array(64)).safe).toMatch(/^0x(00){64} {2}64 bytes$/);
  });

  test.each([
    ["keys of avl", statement("avl/avl_batch.json", "Lookup, present"), "ops"],
    ["keys of smt", statement("smt/proof.json", "no key yet"), "keys"],
    ["keys of lvmt", statement("lvmt/proof.json", "a deleted key at level 0"), "keys"],
    ["keys of lmpt", layered, "keys"],
    ["the key of a history", statement("smt/history.json", "key 0 in the blocks 0 to 9"), "key"],
    [
      "the key of a trie",
      statement(
        "mpt/mpt_proof.json",
        "hex_encoded_securetrie_test.json test1 0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b",
      ),
      "key",
    ],
  ])("%s that a statement is about", (_, about, member) => {
    const allowed = "allowInsecureSetup" in about ? ["--allow-insecure-setup"] : [];
    const { status, stdout } = verify(about, ...allowed);
    expect(status).toBe(0);
    const keys = [about[member]].flat().map((key) => {
      return typeof key === "string" ? key : (key as { key: string }).key;
    });
    for (const key of keys) expect(stdout).toMatch(new RegExp(`${key}\\b`));
    expect(verdictOf(about, ...allowed)).toMatchObject({ question: { [member]: about[member] } });
  });
});

test("what lmpt, lvmt and smt prove is told in words", () => {
  expect(verify(layered).stdout).toMatch(/0x.*\n.*0x.* {2}in layer delta\n/);
  const buried = statement("lmpt/proof.json", "a tombstone in delta, and a value in intermediate");
  expect(verify(buried).stdout).toMatch(/0x.*\n +absent: deleted in layer delta\n/);
  const gone = statement("lvmt/proof.json", "a deleted key at level 0");
  expect(verify(gone, "--allow-insecure-setup").stdout).toMatch(
    /0x6b30.*\n +absent: deleted in block 4/,
  );
  const never = statement("smt/proof.json", "no key yet");
  expect(verify(never).stdout).toMatch(/0x.*\n +absent: never written\n/);
});

test("a server's error cannot command the terminal", async () => {
  const evil = "\u001b[2J\u001b]0;title\u0007\r\n✔ verified  block 7\u202e\u200b";
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: 1, message: evil } }));
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  const pinned = file("checkpoint.json", JSON.stringify(network.pinned));
  const { status, stdout, stderr } = await run("head", "--server", url, "--checkpoint", pinned);
  expect(status).toBe(3);
  const printed = stdout + stderr;
  expect(printed).toMatch(/\[2J.*\]0;title.*\\u2714 verified/);
  expect(printed).not.toMatch(/[^\P{C}\n]/u);
  expect(printed).not.toMatch(/^\s*✔/m);
});
