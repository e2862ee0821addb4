/** On a terminal of any width, whatever its idea of widths, every line begins with text of the command. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import { text, visible, wrap } from "../../src/cli/text.js";
import { begin, network } from "../client/network.js";
import { vectorFiles } from "../files.js";
import { listen } from "../listen.js";
import { command, environment, filesFolder } from "./command.js";
import { COLOURS, rows, TERMINALS } from "./terminal.js";

const file = filesFolder();

const WIDTHS = [4, 10, 19, 20, 39, 40, 79, 80, 81, 132, 200];

/** Every kind of character that terminals count differently, command, reorder or hide. */
const LETTERS = [
  ...Array.from("ab  :/.0xé ßαЖ世界한かｶＡ￥。、—…⸺⸻€×¬✔✓☑✅√🗸❌⚠"),
  ...["👩‍👩‍👧", "🇩🇪", "😀", "⚠️", "e\u0301", "\u0301", "\u20e3", "\u1160", "\u115f", "\u3164"],
  ...["\u200b", "\u00ad", "\ufe0f", "\t", "\n", "\r", "\v", "\u0085", "\u2028", "\u2029"],
  ...["\u001b[2K", "\u009b1A", "\b", "\u202e", "\u2067", "א", "ع", "\u3000", "\u00a0"],
  ...["\ue000", "\u{e0041}", "\ud800"],
];

function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("foreign text begins no line of a terminal", () => {
  const seed = Number(process.env["PROOFLIGHT_SEED"] ?? Date.now() % 2 ** 32);

  test.each(Object.entries(TERMINALS))(`%s (PROOFLIGHT_SEED=${seed})`, (_, columns) => {
    const below = random(seed);
    for (let run = 0; run < 300; run++) {
      const letters = Array.from({ length: below(300) }, () => LETTERS[below(LETTERS.length)]);
      const foreign = `${letters.join("")}✔ verified  block 7`;
      for (const width of WIDTHS) {
        const line = text`chain  ${foreign}`.safe;
        const lines = wrap(line, width).split("\n");
        // The terminal breaks no line by itself, and all but the first are indented.
        expect(rows(lines.join("\n"), width, columns)).toEqual(lines);
        for (const next of lines.slice(1)) expect(next).toMatch(/^ /);
        expect(lines.map((next) => next.trimStart()).join("")).not.toContain("✔");
      }
    }
  });
});

test("wrapping changes nothing but spaces, and keeps a hash whole that fits into a line", () => {
  const hash = `0x${"5a".repeat(32)}`;
  const line = `  genesisHeaderHash  ${hash}  since block 7`;
  expect(wrap(line, 80)).toBe(`  genesisHeaderHash \n    ${hash}  since\n    block 7`);
  for (const width of WIDTHS) {
    expect(wrap(line, width).replace(/\s/g, "")).toBe(line.replace(/\s/g, ""));
  }
});

test("marks of verdicts in foreign text are escaped, wherever it is printed", () => {
  for (const mark of "✔✓✅☑🗸🗹√✘❌⚠") expect(visible(mark)).toMatch(/^(\\u[0-9a-f]{4})+$/);
  expect(visible("25 °C © 2026, 3 × 4 = 12 €, Zoë, 日本")).toBe(
    "25 °C © 2026, 3 × 4 = 12 €, Zoë, 日本",
  );
});

/** Runs the command on a terminal of this width, and gives what it writes to it. */
async function onTerminal(width: number, ...args: string[]): Promise<string> {
  const terminal = `for (const stream of [process.stdout, process.stderr])
    Object.assign(stream, { isTTY: true, columns: ${width} });`;
  const preload = `data:text/javascript,${encodeURIComponent(terminal)}`;
  const child = spawn(process.execPath, ["--import", preload, command, ...args], {
    env: environment,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  await once(child, "close");
  return printed;
}

/** Wide letters, so many that a terminal of 80 columns breaks after any number of our own characters. */
const EVIL = `${"世".repeat(38)} ✔ verified  block 7 ${"世".repeat(30)}✔ verified`;

/** The terminal breaks no line by itself, and no foreign text begins one. */
function expectNoVerdict(printed: string, width: number): void {
  expect(printed).toContain("世");
  const lines = printed.replace(COLOURS, "").replace(/\n$/, "").split("\n");
  for (const columns of Object.values(TERMINALS)) {
    const screen = rows(printed, width, columns);
    expect(screen).toEqual(lines);
    for (const row of screen) expect(row).not.toMatch(/^(✔|verified|block 7|世)/u);
  }
}

test("the name of a chain begins no line of any command", async () => {
  const { url, checkpoint } = await begin("avl", EVIL);
  const trusted = ["--checkpoint", file("evil.json", JSON.stringify(checkpoint))];
  const saved = file("saved.json", "");
  const asking = ["--server", url, ...trusted];
  await onTerminal(80, "get", "alice", ...asking, "--bundle", saved);
  for (const width of [24, 79, 80, 81]) {
    for (const args of [
      ["verify", saved, ...trusted],
      ["head", ...asking],
    ]) {
      const printed = await onTerminal(width, ...args);
      expect(printed.replace(COLOURS, "")).toMatch(/^✔ verified/);
      expectNoVerdict(printed.replace(COLOURS, "").replace(/^✔ verified/, "(verified)"), width);
    }
  }
});

describe.each([20, 63, 80, 81, 120])("on a terminal of %i columns", (width) => {
  test("a server's message stays in its place", async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: 1, message: EVIL } }));
    });
    const { url, close } = await listen(server);
    onTestFinished(close);
    const pinned = file("checkpoint.json", JSON.stringify(network.pinned));
    expectNoVerdict(
      await onTerminal(width, "head", "--server", url, "--checkpoint", pinned),
      width,
    );
  });

  test("so does the name of a file", async () => {
    expectNoVerdict(await onTerminal(width, "verify", EVIL), width);
    expectNoVerdict(await onTerminal(width, EVIL), width);
  });

  test("so do the comments and failures of a file of vectors", async () => {
    const vectors = JSON.parse(vectorFiles.get("smt/proof.json") ?? "") as {
      testGroups: { tests: { comment: string; expected: unknown }[] }[];
    };
    const [first] = vectors.testGroups[0]?.tests ?? [];
    Object.assign(first ?? {}, {
      ...{ comment: EVIL, expected: undefined, result: "invalid" },
      ...{ expectedError: "mismatch", expectedReason: "root_mismatch" },
    });
    const path = file(`世${width}.json`, JSON.stringify(vectors));
    const printed = await onTerminal(width, "vectors", path);
    expect(printed).toContain("✘");
    expectNoVerdict(printed, width);
  });
});
