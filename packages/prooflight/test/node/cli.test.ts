import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { AvlProver, init } from "../../src/avl.js";
import { helpOf } from "../../src/cli/help.js";
import { plain } from "../../src/cli/text.js";
import { toHex } from "../../src/index.js";
import { inputOf } from "../files.js";
import { command, filesFolder, prooflight } from "./command.js";

const vectors = fileURLToPath(new URL("../../../../test-vectors/avl/", import.meta.url));
const save = filesFolder();

/** A file with this JSON in it. */
const file = (name: string, content: unknown) =>
  save(name, typeof content === "string" ? content : JSON.stringify(content));

const input = inputOf("avl/ergo_mainnet.json") as Record<string, unknown>;
const block = { scheme: "avl", kind: "ErgoAdProofs", ...input };
const forged = { ...block, stateRoot: input["parentStateRoot"] };

describe("prooflight verify", () => {
  test("prints the verdict, the roots that it rests on and what is proven", () => {
    const { status, stdout } = prooflight(["verify", file("block.json", block)]);
    expect(status).toBe(0);
    expect(stdout).toContain("verified  avl ErgoAdProofs");
    for (const root of ["parentStateRoot", "stateRoot", "adProofsRoot"]) {
      expect(stdout).toMatch(new RegExp(`${root} +${String(input[root])}`));
    }
    for (const { op, key } of input["ops"] as { op: string; key: string }[]) {
      expect(stdout).toMatch(new RegExp(`${op} +${key}\n +(0x|absent)`));
    }
    expect(stdout).toMatch(/0x2337a1e6c8.*\n +0x80a0dbe9f6d29104.* 347 bytes/);
    expect(stdout).not.toContain("\u001b");
  });

  test("prints what a digest does not authenticate among what the verdict rests on", () => {
    const limits = { maxOperations: 1 };
    const batch = batchWith({ limits });
    const { digest } = batch;
    const { status, stdout } = prooflight(["verify", "-"], JSON.stringify(batch));
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /must know .*:\n +digest +0x931f\w+\n +keyLength +1\n +valueLength +null\n +mode +strict\n +limits +{"maxOperations":1}\n/,
    );
    expect(stdout).not.toContain("compat");
    const json = prooflight(["verify", "--json", "-"], JSON.stringify(batch));
    expect(JSON.parse(json.stdout)).toHaveProperty("trusted", {
      ...{ digest, keyLength: 1, valueLength: null, mode: "strict", limits },
    });
  });

  test("prints the beginning of a value of megabytes", async () => {
    await init();
    const value = new Uint8Array(5 << 20);
    const limits = { maxValueBytes: value.length };
    using prover = new AvlProver({ keyLength: 1, limits });
    prover.apply([{ op: "Insert", key: Uint8Array.of(1), value }]);
    const { proof } = prover.prove([{ op: "Lookup", key: Uint8Array.of(1) }]);
    const long = { limits, digest: toHex(prover.digest), proof: toHex(proof) };
    const { status, stdout } = prooflight(["verify", "-"], JSON.stringify(batchWith(long)));
    expect(status).toBe(0);
    expect(stdout).toMatch(/Lookup +0x01\n +0x(00){64}… {2}5242880 bytes\n/);
  });

  test("says first that it verified in compat mode", () => {
    const batch = JSON.stringify(batchWith({ mode: "compat" }));
    const { status, stdout } = prooflight(["verify", "-"], batch);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^✔ verified in compat mode .*\n\n +Compat mode accepts more /);
    expect(stdout).toMatch(/\n +mode +compat\n/);
    const json = prooflight(["verify", "--json", "-"], batch);
    expect(JSON.parse(json.stdout)).toMatchObject({ trusted: { mode: "compat" } });
  });

  test("reads standard input, and takes a type for a kind", () => {
    const typed = { type: "ErgoAdProofs", ...input };
    expect(prooflight(["verify", "-"], JSON.stringify(typed)).status).toBe(0);
  });

  test("prints why a forgery is refused", () => {
    const { status, stdout } = prooflight(["verify", file("forged.json", forged)]);
    expect(status).toBe(1);
    expect(stdout).toContain("refused  avl ErgoAdProofs");
    expect(stdout).toMatch(/code +mismatch\n +reason +state_root_mismatch\n/);
    expect(stdout).not.toContain("verified");
  });

  test("prints JSON on request", () => {
    const good = prooflight(["verify", "--json", "-"], JSON.stringify(block));
    expect(JSON.parse(good.stdout)).toMatchObject({
      verified: true,
      scheme: "avl",
      kind: "ErgoAdProofs",
      answer: { digest: input["stateRoot"] },
    });
    const bad = prooflight(["verify", "--json", "-"], JSON.stringify(forged));
    expect(bad.status).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      verified: false,
      kind: "ErgoAdProofs",
      error: { code: "mismatch", reason: "state_root_mismatch", found: input["stateRoot"] },
    });
  });

  test.each<[string, unknown, number, string]>([
    ["malformed bytes", batchWith({ proof: "0x" }), 1, "truncated"],
    ["hex without 0x", { ...block, proof: "00" }, 2, "invalid_argument"],
    ["a root that is missing", { ...block, stateRoot: undefined }, 2, "invalid_argument"],
    ["a member that is unknown", { ...block, root: "0x" }, 2, "invalid_argument"],
    ["a wrong key length", batchWith({ keyLength: 2 }), 2, "key_length"],
    ["no kind", { ...block, kind: undefined }, 2, "invalid_argument"],
    ["a kind and a type", { ...block, type: "ErgoAdProofs" }, 2, "invalid_argument"],
    ["no object", [], 2, "invalid_argument"],
    ["no JSON", "{", 2, "invalid_argument"],
    ["an unknown kind", { ...block, kind: "MptProof" }, 4, "unknown_statement"],
    ["another scheme", { ...block, scheme: "mpt" }, 4, "unknown_statement"],
  ])("refuses %s", (name, content, expected, reason) => {
    const path = file(`${name}.json`, content);
    const { status, stdout, stderr } = prooflight(["verify", path]);
    expect(status).toBe(expected);
    expect(stdout + stderr).toContain(reason);
    const json = JSON.parse(prooflight(["verify", "--json", path]).stdout) as object;
    expect(json).toMatchObject({ error: { reason } });
  });

  test("refuses a file that is not there", () => {
    expect(prooflight(["verify", "none.json"])).toMatchObject({ status: 2, stdout: "" });
  });
});

describe("prooflight vectors", () => {
  const blocks = join(vectors, "ergo_mainnet.json");
  const outcomes = join(vectors, "scala_verifier.json");

  test("runs whole files and counts", () => {
    const { status, stdout } = prooflight(["vectors", blocks, outcomes]);
    expect(status).toBe(0);
    expect(stdout).toContain(`${blocks}  29 passed, 0 failed\n`);
    expect(stdout).toMatch(/\n99 passed, 0 failed\n$/);
  });

  const test1 = { tcId: 1, comment: "right", flags: [], input, result: "valid" };
  const test2 = { ...test1, tcId: 2, comment: "wrong", expected: { digest: "0x" } };
  const groups = (type: string, ...tests: object[]) => ({
    schema: "schema/vectors_v1.json",
    numberOfTests: tests.length,
    testGroups: [{ type, tests }],
  });

  test("names every test that fails", () => {
    const path = file("failing.json", groups("ErgoAdProofs", test1, test2));
    const { status, stdout } = prooflight(["vectors", path, blocks]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/tcId 2 +failed +wrong\n +digest: expected "0x", found /);
    expect(stdout).not.toContain("tcId 1 ");
    expect(stdout).toMatch(/\n30 passed, 1 failed\n$/);
  });

  test("says which types it does not know", () => {
    const path = file("unknown.json", groups("MadeUpProof", test1));
    const { status, stdout } = prooflight(["vectors", path, blocks]);
    expect(status).toBe(4);
    expect(stdout).toMatch(/tcId 1 +unsupported +right\n.*group type MadeUpProof\n/);
    expect(stdout).toMatch(/\n29 passed, 0 failed, 1 unsupported\n$/);
  });

  test("prints JSON on request", () => {
    const path = file("failing.json", groups("ErgoAdProofs", test1, test2));
    const { stdout } = prooflight(["vectors", "--json", path]);
    expect(JSON.parse(stdout)).toMatchObject({
      passed: 1,
      failed: 1,
      unsupported: 0,
      files: [{ file: path, passed: 1, failed: 1, open: [{ tcId: 2, outcome: "failed" }] }],
    });
  });

  test("refuses a file that is none of vectors, and names it", () => {
    const path = file("no tests.json", groups("ErgoAdProofs"));
    const { status, stdout, stderr } = prooflight(["vectors", blocks, path]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(path);
  });
});

describe("prooflight vectors, of files that it cannot run,", () => {
  const missing = ["no first.json", "no second.json"];
  const files = [missing[0] ?? "", join(vectors, "ergo_mainnet.json"), missing[1] ?? ""];

  test("names each", () => {
    const { status, stdout, stderr } = prooflight(["vectors", ...files]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    for (const name of missing) expect(stderr).toContain(`prooflight: ${name}: invalid_input`);
  });

  test("prints each in one JSON document", () => {
    const { status, stdout } = prooflight(["vectors", "--json", ...files]);
    expect(status).toBe(2);
    const { errors } = JSON.parse(stdout) as { errors: { file: string; error: object }[] };
    expect(errors.map(({ file }) => file)).toEqual(missing);
    expect(errors[0]?.error).toMatchObject({ reason: "invalid_argument" });
  });
});

describe("what a file says cannot command the terminal:", () => {
  const evil = "\u001b[2J\u0007\n✔ verified\u009b1m\u007f\u061c\u202e\u2066\u2028";
  const shown =
    "\\u001b[2J\\u0007\\u000a\\u2714 verified\\u009b1m\\u007f\\u061c\\u202e\\u2066\\u2028";
  const test1 = { tcId: 1, comment: evil, flags: [], input, result: "invalid" };
  const failing = {
    ...{ schema: "schema/vectors_v1.json", numberOfTests: 1 },
    testGroups: [{ type: "ErgoAdProofs", tests: [test1] }],
  };
  test.each<[string, string, object]>([
    ["a kind", "verify", { ...block, kind: evil }],
    ["a scheme", "verify", { ...block, scheme: evil }],
    ["a member", "verify", { ...block, [evil]: 1 }],
    ["a limit", "verify", batchWith({ limits: { [evil]: 1 } })],
    ["a comment", "vectors", failing],
  ])("%s", (_, command, content) => {
    for (const json of [[], ["--json"]]) {
      const { stdout, stderr } = prooflight([command, ...json, "-"], JSON.stringify(content));
      const printed = stdout + stderr;
      expect(printed).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\p{Zl}]/u);
      expect(printed).not.toMatch(/^✔ verified/m);
      // A quoted text has the shorter form of a line's end.
      if (json.length === 0) expect(printed.replaceAll("\\n", "\\u000a")).toContain(shown);
      else expect(stdout).toContain("\\u202e");
    }
  });

  test("a file's name", () => {
    const { stderr } = prooflight(["vectors", `none${evil}`]);
    expect(stderr).toContain(`none${shown}`);
    expect(stderr).not.toContain("\u001b");
  });
});

describe("output that cannot be written is no verdict on the proof:", () => {
  const path = file("written.json", block);

  test.each(["2>/dev/null", "2>/dev/full"])("a full disk, %s", (errors) => {
    const script = `"$0" "$@" >/dev/full ${errors}`;
    const args = ["-c", script, process.execPath, command, "verify", path];
    expect(spawnSync("sh", args).status).toBe(70);
  });

  test("a closed pipe", async () => {
    // It reads its input to the end before it prints anything.
    const child = spawn(process.execPath, [command, "verify", "-"], { stdio: "pipe" });
    child.stdout.destroy();
    await once(child.stdout, "close");
    child.stdin.end(JSON.stringify(block));
    child.stderr.resume();
    expect(await once(child, "close")).toEqual([70, null]);
  });
});

describe("prooflight", () => {
  const helpText = (...words: string[]) => plain(helpOf(words));

  test("prints help and version", () => {
    expect(prooflight(["--help"])).toMatchObject({ status: 0, stderr: "" });
    expect(prooflight(["--help"]).stdout).toContain("prooflight verify FILE");
    expect(prooflight(["get", "--help"]).stdout).toBe(`${helpText("get")}\n`);
    expect(prooflight(["--version"])).toMatchObject({ status: 0, stdout: "0.1.0\n" });
  });

  test.each<[string[], string[], string[]]>([
    [["diff"], ["prooflight diff", "--from HEIGHT"], ["history KEY", "--average", "--scheme"]],
    [
      ["eth", "logs"],
      ["eth logs [ADDRESS…]", "--topic TOPIC"],
      ["eth tx", "--slot", "--at BLOCK"],
    ],
    [["eth"], ["eth logs [ADDRESS…]", "eth tx HASH", "--slot SLOT"], ["prooflight get", "KEY"]],
    [
      ["eth", "call"],
      ["eth call TO [SIGNATURE [ARGUMENT…]]", "--from ADDRESS", "--at BLOCK", "SIGNATURE is"],
      ["eth estimate", "--to BLOCK", "--slot", "KEY"],
    ],
    [["vectors"], ["prooflight vectors FILE…"], ["--checkpoint", "prooflight get"]],
  ])("%j --help is about that alone", (words, about, others) => {
    for (const part of [...about, "--json"]) expect(helpText(...words)).toContain(part);
    for (const part of others) expect(helpText(...words)).not.toContain(part);
    // The part about it is in the whole help, too.
    const options = helpText(...words).match(/^ {2}--.*$/gm) ?? [];
    for (const line of options) expect(helpText()).toContain(line);
  });

  test("explains in lines what a value that begins with a dash needs", () => {
    const { status, stderr } = prooflight(["diff", "--from", "-1"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/ambiguous\.\nDid you forget .*\n.*--from=-XYZ/);
    expect(stderr).not.toContain("\\u000a");
  });

  // No server listens there: whoever asked it would end with 3.
  const nowhere = "http://127.0.0.1:1";
  const hash = `0x${"11".repeat(32)}`;
  const address = `0x${"22".repeat(20)}`;
  const servers = ["--beacon", nowhere, "--execution", nowhere, "--checkpoint", hash];

  test.each<[string, string[], string]>([
    ["an address that is none", ["balance", "xyz"], "address to be"],
    ["a slot that is none", ["balance", address, "--slot", "one"], "--slot to be"],
    ["a transaction's hash that is none", ["tx", address], "hash to be 32 bytes"],
    ["a receipt's hash that is none", ["receipt", "xyz"], "hash to be"],
    ["a contract that is none", ["logs", "xyz"], "address to be"],
    ["a topic that is none", ["logs", "--topic", `any,${hash}`], "topics[0] to be"],
    ["a timeout of 0", ["block", "--timeout", "0"], "timeout to be at least 1 millisecond"],
    ["a called contract that is none", ["call", "xyz"], "TO to be"],
    ["a signature that is none", ["call", address, "balanceOf"], '"(" in SIGNATURE'],
    [
      "an argument that is missing",
      ["call", address, "f(bool)"],
      "1 argument for f(bool), found 0",
    ],
    [
      "an argument that is too long",
      ["call", address, "f(uint8)", "256"],
      "argument 1 to be uint8",
    ],
    ["an argument below zero", ["estimate", address, "f(int8)", "--", "-129"], "to be int8"],
    ["data that are none", ["call", address, "--data", "0x1"], "--data to be"],
    [
      "a signature and data",
      ["call", address, "f()", "--data", "0x"],
      "one of SIGNATURE and --data",
    ],
    ["a sender that is none", ["call", address, "--from", "0x12"], "--from to be 20 bytes"],
    [
      "an amount below zero",
      ["call", address, "--value=-1"],
      "--value, an integer of 0 to 2^256 - 1",
    ],
    ["gas in words", ["estimate", address, "--gas", "all"], "--gas, an integer of 0 to 2^64 - 1"],
    ["a block that is none", ["call", address, "--at", "newest"], "--at latest, finalized"],
  ])("refuses %s before it asks a server", (_, args, problem) => {
    const [name = "", ...rest] = args;
    const { status, stdout, stderr } = prooflight(["eth", name, ...servers, ...rest]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("invalid_input / invalid_argument");
    expect(stderr).toContain(problem);
  });

  test.each([
    ["no command", []],
    ["an unknown command", ["get"]],
    ["an unknown option", ["verify", "--yes", "x"]],
    ["no file", ["verify"]],
    ["two files", ["verify", "a", "b"]],
    ["no vector file", ["vectors"]],
  ])("refuses %s", (_, args) => {
    const { status, stdout, stderr } = prooflight(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("prooflight --help");
  });
});

/** A batch of one lookup in an empty dictionary, changed. */
function batchWith(changes: object) {
  return {
    kind: "AvlBatch",
    keyLength: 1,
    valueLength: null,
    digest: "0x931febe9170def63e50b66e4f923a9af40ac80ee43342ebf4fde9f0d5d1fc45900",
    ops: [{ op: "Lookup", key: "0x01" }],
    proof: "0x0200ff0000000004",
    ...changes,
  };
}
