/** The commands that ask servers, against a real node and liars in front of it. */

import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { decodeHeader, init } from "../../src/chain.js";
import { fromHex, type Hex } from "../../src/index.js";
import { begin, Events, fork, liar, network, pay, stop } from "../client/network.js";
import { alice, deleted, nobody, NEWEST, stateAt } from "../network/state.js";
import { run as prooflight, start } from "./command.js";

const folder = mkdtempSync(join(tmpdir(), "prooflight-cli-"));
const pinned = join(folder, "checkpoint.json");

beforeAll(() => {
  writeFileSync(pinned, JSON.stringify(network.pinned));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const node = () => ["--server", network.url, "--checkpoint", pinned];
const through = (...lies: string[]) => [
  ...lies.flatMap((lie) => ["--server", liar(lie)]),
  "--checkpoint",
  pinned,
];
const value = stateAt(NEWEST).get(alice) ?? "";

test("prooflight history on a chain without smt says what the chain keeps", async () => {
  const { url, pinned } = network.other;
  const checkpoint = join(folder, "other.json");
  writeFileSync(checkpoint, JSON.stringify(pinned));
  const to = ["--server", url, "--checkpoint", checkpoint];
  for (const command of [["history", alice], ["diff"], ["range"], ["count"]]) {
    const { status, stderr } = await prooflight(...command, ...to);
    expect(status).toBe(4);
    expect(stderr).toMatch(/the chain keeps no scheme for [a-z ]+: expected a chain that keeps /);
    expect(stderr).not.toContain("build");
  }
});

describe("prooflight get", () => {
  test("prints verified values and absences, with the block that they hold at", async () => {
    const { status, stdout } = await prooflight("get", "account/alice", nobody, ...node());
    expect(status).toBe(0);
    expect(stdout).toContain(`verified  block ${NEWEST}`);
    expect(stdout).toContain(value);
    expect(stdout).toMatch(/account\/nobody.*\n +absent\n/);
  });

  test("asks about an older block, by its height or its hash", async () => {
    const at = async (block: string) => {
      const asked = await prooflight("get", alice, "--at", block, "--json", ...node());
      return JSON.parse(asked.stdout) as {
        block: { height: string; hash: string };
        answers: { value: string }[];
      };
    };
    const older = await at("3");
    expect(older.block.height).toBe("3");
    expect(older.answers[0]?.value).toBe(stateAt(3n).get(alice));
    expect(await at(older.block.hash)).toMatchObject({ block: older.block });
    expect((await at("0x3")).block).toEqual(older.block);
  });

  test("refuses a lie with exit code 1, and says which server told it", async () => {
    const { status, stdout, stderr } = await prooflight("get", alice, ...through("changed-value"));
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(`${new URL(network.liar).host}: mismatch / root_mismatch`);
    // There is no other server, and so nothing more to say.
    expect(stderr.match(/root_mismatch/g)).toHaveLength(1);
  });

  test("takes the next server where one lies, and still says so", async () => {
    const both = through("changed-value", "honest");
    const { status, stdout, stderr } = await prooflight("get", alice, ...both);
    expect(status).toBe(0);
    expect(stdout).toContain(value);
    expect(stderr).toContain("root_mismatch");
  });

  test("ends with 3 where there is no answer, and with 2 where it is asked wrongly", async () => {
    expect((await prooflight("get", alice, ...through("html-502"))).status).toBe(3);
    expect((await prooflight("get", alice, "--at", "1000", ...node())).status).toBe(3);
    for (const wrong of [
      ["get", ...node()],
      ["get", alice, "--server", network.url],
      ["get", alice, "--checkpoint", pinned],
      ["get", alice, "--at", "newest", ...node()],
      ["get", "0xabc", ...node()],
      ["get", alice, "--state-root", "0x11", ...node()],
      ["head", "--at", "1", ...node()],
    ]) {
      expect((await prooflight(...wrong)).status, wrong.join(" ")).toBe(2);
    }
  });

  test("never takes a checkpoint for another than the file has", async () => {
    const file = join(folder, "wrong.json");
    const changed = { ...network.pinned, headerHash: `0x${"11".repeat(32)}` };
    writeFileSync(file, JSON.stringify(changed));
    const args = ["get", alice, "--server", network.url, "--checkpoint", file];
    const { status, stderr } = await prooflight(...args);
    expect(status).toBe(1);
    expect(stderr).toContain("untrusted / equivocation");
    expect(stderr).toContain("or the checkpoint is not one of theirs");
    writeFileSync(file, "{}");
    expect((await prooflight(...args)).status).toBe(2);
  });
});

describe("prooflight get --scheme lvmt", () => {
  const own = join(folder, "lvmt.json");
  const asked = (...args: string[]) => {
    writeFileSync(own, JSON.stringify(network.lvmt.pinned));
    return prooflight(...args, "--checkpoint", own);
  };
  const get = (...args: string[]) =>
    asked("get", alice, deleted, nobody, "--scheme", "lvmt", "--server", network.lvmt.url, ...args);
  const bundle = join(folder, "lvmt-bundle.json");

  test("warns where it accepts an insecure setup, and names its scheme", async () => {
    const refused = await get();
    expect(refused.status).toBe(4);
    expect(refused.stderr).toContain("insecure_setup");
    const { status, stdout } = await get("--allow-insecure-setup", "--bundle", bundle);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^✔ verified with an insecure setup allowed {2}block \d+/);
    expect(stdout).toContain("under one, anyone can forge proofs");
    expect(stdout).toMatch(/proof +lvmt, \d+ bytes/);
    expect(stdout).toMatch(/account\/deleted .*\n +absent: deleted in block 7\n/);
    expect(stdout).toMatch(/account\/nobody .*\n +absent: never written\n/);
    const checked = await asked("verify", bundle, "--allow-insecure-setup");
    expect(checked.status).toBe(0);
    expect(checked.stdout).toContain("verified with an insecure setup allowed  lvmt StateAnswer");
    const lied = await asked("verify", bundle);
    expect(lied.status).toBe(4);
    expect(lied.stdout).toContain("refused  lvmt StateAnswer");
  });

  test("watch warns as well", async () => {
    const child = start([
      ...["watch", alice, "--scheme", "lvmt", "--allow-insecure-setup", "--json"],
      ...["--server", network.lvmt.url, "--checkpoint", own],
    ]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value: line } = (await lines.next()) as { value: string };
    const ended = once(child, "close");
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    expect(JSON.parse(line)).toMatchObject({
      ...{ allowInsecureSetup: true, answers: [{ value, since: String(NEWEST) }] },
    });
  });

  test("prints all of it as JSON", async () => {
    const { stdout } = await get("--allow-insecure-setup", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ verified: true, scheme: "lvmt", allowInsecureSetup: true },
      answers: [
        { key: alice, kind: "present", value, since: String(NEWEST) },
        { key: deleted, kind: "absent", value: null, deletedAt: "7" },
        { key: nobody, kind: "absent", value: null, deletedAt: null },
      ],
    });
  });
});

describe("prooflight get --scheme lmpt", () => {
  const get = (...args: string[]) =>
    prooflight("get", alice, deleted, nobody, "--scheme", "lmpt", ...node(), ...args);
  const bundle = join(folder, "lmpt-bundle.json");

  test("prints the layer that settled each key, also of a saved answer", async () => {
    const { status, stdout } = await get("--bundle", bundle);
    expect(status).toBe(0);
    expect(stdout).toMatch(/proof +lmpt, \d+ bytes/);
    const checked = await prooflight("verify", bundle, "--checkpoint", pinned);
    expect(checked.status).toBe(0);
    for (const printed of [stdout, checked.stdout]) {
      expect(printed).toMatch(/20\.00 .* {2}in layer delta\n/);
      expect(printed).toMatch(/absent: deleted in layer intermediate\n/);
      expect(printed).toMatch(/absent: in no layer\n/);
    }
  });

  test("prints it as JSON", async () => {
    const { stdout } = await get("--json");
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ verified: true, scheme: "lmpt" },
      answers: [
        { key: alice, kind: "present", value, layer: "delta" },
        { key: deleted, kind: "absent", value: null, layer: "intermediate" },
        { key: nobody, kind: "absent", value: null, layer: "snapshot" },
      ],
    });
  });
});

test("a key is printed whole, however long it is", async () => {
  const key = `account/alice/balance/${"x".repeat(80)}/usd`;
  const hex = `0x${Buffer.from(key).toString("hex")}`;
  const saved = join(folder, "long.json");
  const { stdout } = await prooflight("get", key, "--bundle", saved, ...node());
  expect(stdout).toContain(`${hex}  `);
  const checked = await prooflight("verify", saved, "--checkpoint", pinned);
  expect(checked.stdout).toMatch(new RegExp(`^ +${hex} .*\n +absent\n`, "m"));
  const history = await prooflight("history", key, ...node());
  expect(history.stdout).toContain(`${hex}  `);
});

describe("prooflight history", () => {
  const asked = (...more: string[]) => prooflight("history", ...more, ...node());

  test("prints every change of a range, and what was there before", async () => {
    const { status, stdout } = await asked(deleted, "--from", "3", "--to", "8");
    expect(status).toBe(0);
    expect(stdout).toContain("verified  the only change from block 3 to 8");
    expect(stdout).toMatch(/before +3\.50 /);
    expect(stdout).toMatch(/block 7 +\d{4}-\d\d-\d\dT\S+ +deleted\n/);
    const never = await asked(nobody);
    expect(never.stdout).toContain(`verified  no change from block 0 to ${NEWEST}`);
    expect(never.stdout).toMatch(/before +absent: never written\n/);
  });

  test("tells a deleted key from one that was never written", async () => {
    const enteringOf = async (key: string, from: string) => {
      const { stdout } = await asked(key, "--from", from, "--json");
      return JSON.parse(stdout) as { entering: object; changes: object[] };
    };
    const gone = await enteringOf(deleted, "9");
    expect(gone.entering).toEqual({ kind: "absent", value: null, deletedAt: "7" });
    const never = await enteringOf(nobody, "9");
    expect(never.entering).toEqual({ kind: "absent", value: null, deletedAt: null });
    const { entering, changes } = await enteringOf(deleted, "3");
    expect(entering).toMatchObject({ kind: "present", since: "2" });
    expect(changes).toMatchObject([{ block: { height: "7" }, kind: "deleted", value: null }]);
    expect((await asked(deleted, "--from", "9")).stdout).toMatch(
      /before +absent: deleted in block 7\n/,
    );
  });

  test("prints them as JSON, with the exact average if it is asked for", async () => {
    const { status, stdout } = await asked(alice, "--from", "4", "--average", "--json");
    expect(status).toBe(0);
    const printed = JSON.parse(stdout) as {
      from: { height: string; timestampMs: string };
      to: { height: string; timestampMs: string };
      entering?: unknown;
      changes: { block: { height: string; timestampMs: string }; value: string | null }[];
      average: { sum: string; coveredMs: string; gaps: unknown[] };
    };
    const heights = Array.from({ length: Number(NEWEST) - 3 }, (_, index) => BigInt(index) + 4n);
    expect(printed.changes.map(({ block, value }) => [BigInt(block.height), value])).toEqual(
      heights.map((height) => [height, stateAt(height).get(alice)]),
    );
    // Block 4 itself changed the key.
    expect(printed.entering).toBeUndefined();
    const ends = [...printed.changes.slice(1).map(({ block }) => block), printed.to];
    const sum = printed.changes.reduce((sum, { block, value }, index) => {
      const until = ends[index]?.timestampMs ?? "0";
      return sum + BigInt(value ?? "0x0") * (BigInt(until) - BigInt(block.timestampMs));
    }, 0n);
    const covered = BigInt(printed.to.timestampMs) - BigInt(printed.from.timestampMs);
    expect(printed.average).toEqual({ sum: `${sum}`, coveredMs: `${covered}`, gaps: [] });
    expect((await asked(alice, "--average")).stdout).toMatch(/average +\d+\.?\d* +over [\d.]+ s/);
  });

  test("refuses a server that hides a change, and wrong usage", async () => {
    const hidden = await prooflight("history", alice, ...through("hidden-change"));
    expect(hidden.status).toBe(1);
    expect(hidden.stdout).toBe("");
    for (const wrong of [[], [alice, nobody], [alice, "--from", "latest"], [alice, "--at", "3"]]) {
      expect((await asked(...wrong)).status, wrong.join(" ")).toBe(2);
    }
    expect((await asked(alice, "--from", "5", "--to", "4")).status).toBe(2);
  });
});

test("a saved answer is verified without a server", async () => {
  const bundle = join(folder, "bundle.json");
  await prooflight("get", alice, nobody, "--at", "4", "--bundle", bundle, ...node());
  const { status, stdout } = await prooflight("verify", bundle, "--checkpoint", pinned);
  expect(status).toBe(0);
  expect(stdout).toContain("verified  avl StateAnswer");
  expect(stdout).toContain(stateAt(4n).get(alice));
  expect(stdout).toContain("absent");
});

describe.each([
  ["history", [alice, "--from", "3", "--to", "9"], "smt StateHistory"],
  ["history", [alice, "--from", "3", "--to", "9", "--average"], "smt StateHistory"],
  ["diff", ["--from", "3", "--to", "9"], "smt StateDiff"],
])("a saved %s", (name, question, kind) => {
  const bundle = join(folder, `${name}-${question.length}.json`);
  const check = (...more: string[]) => prooflight("verify", bundle, ...more);
  const trusted = ["--checkpoint", pinned];

  test("is verified without a server", async () => {
    const asked = await prooflight(name, ...question, "--bundle", bundle, ...node());
    expect([asked.status, asked.stderr]).toEqual([0, ""]);
    expect(asked.stdout).toContain(`prooflight verify ${bundle} --checkpoint FILE`);
    const { status, stdout } = await check(...trusted);
    expect(status).toBe(0);
    expect(stdout).toContain(`verified  ${kind}`);
    expect(stdout).toContain(stateAt(9n).get(alice));
    expect(stdout.includes("coveredMs")).toBe(question.includes("--average"));
  });

  test("says neither what is trusted nor what time it is", async () => {
    await prooflight(name, ...question, "--bundle", bundle, ...node());
    expect((await check()).status).toBe(2);
    const saved = JSON.parse(readFileSync(bundle, "utf8")) as object;
    const verdict = async (more: object, ...options: string[]) => {
      writeFileSync(bundle, JSON.stringify({ ...saved, ...more }));
      return (await check(...options)).status;
    };
    expect(await verdict({ checkpoint: network.pinned }, ...trusted)).toBe(2);
    expect(await verdict({ checkpoint: network.pinned })).toBe(5);
    expect(await verdict({ now: "0x0" }, ...trusted)).toBe(2);
    expect(await verdict({ allowInsecureSetup: true }, ...trusted)).toBe(2);
    expect(await verdict({}, ...trusted, "--allow-insecure-setup")).toBe(2);
    expect(await verdict({ to: "0x8" }, ...trusted)).toBe(1);
    expect(await verdict({}, ...trusted)).toBe(0);
  });

  test("of a server that lies is not saved", async () => {
    const unsaved = join(folder, "unsaved.json");
    const lie = name === "diff" ? "left-out-key" : "hidden-change";
    const asked = await prooflight(name, ...question, "--bundle", unsaved, ...through(lie));
    expect([asked.status, asked.stdout, existsSync(unsaved)]).toEqual([1, "", false]);
  });
});

describe("prooflight head", () => {
  test("prints the newest head, and as JSON the checkpoint that it makes", async () => {
    const { stdout } = await prooflight("head", ...node());
    expect(stdout).toContain(`verified  block ${NEWEST}`);
    const { checkpoint } = JSON.parse((await prooflight("head", "--json", ...node())).stdout) as {
      checkpoint: { height: string };
    };
    expect(BigInt(checkpoint.height)).toBe(NEWEST);
    const file = join(folder, "head.json");
    writeFileSync(file, JSON.stringify(checkpoint));
    const args = ["get", alice, "--server", network.url, "--checkpoint", file];
    expect((await prooflight(...args)).stdout).toContain(value);
  });

  test("refuses a forged one", async () => {
    const { status, stderr } = await prooflight("head", ...through("changed-state-root"));
    expect(status).toBe(1);
    expect(stderr).toContain("untrusted / too_few_signatures");
  });
});

describe("prooflight diff", () => {
  const asked = (...more: string[]) => prooflight("diff", ...more, ...node());

  test("prints every key that changed, with its last value", async () => {
    const { status, stdout } = await asked("--from", "2", "--json");
    expect(status).toBe(0);
    const { changes } = JSON.parse(stdout) as { changes: { key: Hex; value: Hex | null }[] };
    const [before, after] = [stateAt(2n), stateAt(NEWEST)];
    const changed = [...after].filter(([key, value]) => before.get(key) !== value);
    const found = changes.map(({ key, value }) => [key, value ?? undefined] as const);
    expect(new Map(found)).toEqual(new Map(changed));
    const printed = (await asked("--from", "2")).stdout;
    expect(printed).toContain(`all ${changed.length} keys that changed after block 2`);
    expect((await asked("--from", "2")).stdout).toContain("account/alice");
  });

  test("refuses a server that hides a key, and wrong usage", async () => {
    const hidden = await prooflight("diff", "--from", "2", ...through("left-out-key"));
    expect([hidden.status, hidden.stdout]).toEqual([1, ""]);
    expect((await asked(alice)).status).toBe(2);
    expect((await asked("--average")).status).toBe(2);
  });
});

describe("prooflight watch, where the authorities sign another history,", () => {
  /** Watches a node at blocks 2 and 3 and then, when it is away, another one with its key and another block 2. */
  async function watching(...more: string[]) {
    const chain = await begin();
    const other = await fork(chain);
    const own = join(folder, `${chain.id}.json`);
    writeFileSync(own, JSON.stringify(chain.checkpoint));
    for (const value of ["1.00", "2.00"]) await pay(chain, value);
    for (const value of ["1.10", "2.10"]) await pay(other, value);
    const servers = ["--server", chain.url, "--server", other.url];
    const child = start(["watch", alice, ...more, ...servers, "--checkpoint", own]);
    let [stdout, stderr] = ["", ""];
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const lines = new Events<string>();
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      lines.add(text);
    });
    const ended = once(child, "close");
    const shown = (value: string) =>
      lines.first(
        (text) => text.includes(value) || text.includes(Buffer.from(value).toString("hex")),
      );
    await shown("2.00");
    await pay(chain, "3.00");
    await shown("3.00");
    await stop(chain);
    const [status] = (await ended) as [number];
    return { status, stdout, stderr };
  }

  test("ends with 1 and prints the evidence", async () => {
    const { status, stdout, stderr } = await watching();
    expect(status).toBe(1);
    expect(stdout.match(/block \d/g)).toEqual(["block 2", "block 3"]);
    expect(stderr).toContain("untrusted / equivocation");
    expect(stderr).toMatch(/"conflicting": \{\n +"signed": "0x[0-9a-f]{400,}"/);
  });

  test("prints it as JSON with --json", async () => {
    const { status, stdout } = await watching("--json");
    expect(status).toBe(1);
    const [, , ...last] = stdout.split("\n");
    const { error, evidence } = JSON.parse(last.join("\n")) as {
      error: { reason: string };
      evidence: { height: string; accepted: { signed: string }; conflicting: { signed: string } };
    };
    expect(error.reason).toBe("equivocation");
    const signed = [evidence.accepted.signed, evidence.conflicting.signed].map(fromHex);
    await init();
    const [one, two] = signed.map(decodeHeader);
    expect(one?.hash).not.toEqual(two?.hash);
    expect(evidence.height).toBe("2");
  });
});

test("prooflight watch prints every head and what a key has, until it is told to end", async () => {
  const chain = await begin();
  const own = join(folder, "own.json");
  writeFileSync(own, JSON.stringify(chain.checkpoint));
  await pay(chain, "1.00");
  const args = ["watch", alice, "--json", "--server", chain.url, "--checkpoint", own];
  const child = start(args);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value: line } = (await lines.next()) as { value: string };
    const { head, answers } = JSON.parse(line) as {
      head: { height: string };
      answers: [{ value: string }];
    };
    return [head.height, Buffer.from(answers[0].value.slice(2), "hex").toString()];
  };
  expect(await next()).toEqual(["1", "1.00"]);
  await pay(chain, "2.00");
  expect(await next()).toEqual(["2", "2.00"]);
  const ended = once(child, "close");
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  await stop(chain);
});
