/** `prooflight range` and `count` against a real node and liars in front of it. */

import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { describe, expect, onTestFinished, test } from "vitest";

import { type Hex, toHex } from "../../src/index.js";
import { liar, network } from "../client/network.js";
import { listen } from "../listen.js";
import { alice, listAt, NEWEST } from "../network/state.js";
import { filesFolder, run } from "./command.js";

const file = filesFolder();
const pinned = file("checkpoint.json", JSON.stringify(network.pinned));
const at = (...servers: string[]) => [
  ...servers.flatMap((server) => ["--server", server]),
  ...["--checkpoint", pinned],
];
const node = at(network.url);

const hex = (key: string) => toHex(new TextEncoder().encode(key));
const all = listAt(NEWEST);
const between = (from: string, to: string) =>
  all.filter(([key]) => key >= hex(from) && key < hex(to));

interface Printed {
  complete: boolean;
  next: Hex | null;
  block: { height: string; hash: string };
  head: { height: string };
  pages: number;
  entries: { key: Hex; value: Hex; since: string }[];
}

/** What `range --json` prints, and its keys with their values. */
async function listed(...args: string[]) {
  const { stdout } = await run("range", ...args, "--json", ...node);
  const printed = JSON.parse(stdout) as Printed;
  return { ...printed, list: printed.entries.map(({ key, value }) => [key, value]) };
}

/** A server that sends at most 16 keys in a page, as one may, each after a while. */
async function slowly(url: string, milliseconds: number): Promise<string> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const call = JSON.parse(await text(request)) as { method: string; params: object };
      const cut = call.method === "prooflight_range";
      if (cut) await new Promise((resolve) => setTimeout(resolve, milliseconds));
      const params = { ...call.params, ...(cut && { limit: 16 }) };
      const body = JSON.stringify({ ...call, params });
      const headers = { "content-type": "application/json" };
      response.end(await (await fetch(url, { method: "POST", headers, body })).text());
    };
    void answer();
  });
  const { url: slow, close } = await listen(server);
  onTestFinished(close);
  return slow;
}

describe("prooflight range", () => {
  test("prints every key with its value, and that none is left out", async () => {
    const { status, stdout, stderr } = await run("range", "--prefix", "account/user 1", ...node);
    expect([status, stderr]).toEqual([0, ""]);
    const keys = between("account/user 1", "account/user 2");
    expect(keys).toHaveLength(11);
    expect(
      [...stdout.matchAll(/^ {2}(account\/.*?) {2}(0x\S+)/gm)].map(([, , key]) => key),
    ).toEqual(keys.map(([key]) => key));
    for (const [, value] of keys) expect(stdout).toContain(`  ${value}  `);
    expect(stdout).toContain(`✔ verified  all 11 keys, none left out  block ${NEWEST}`);
    expect(stdout).toMatch(/proof +amb, \d+ bytes in one page, verified in/);
  });

  test("prints all of it as JSON", async () => {
    const printed = await listed();
    expect(printed.list).toEqual(all);
    const { block, head } = printed;
    expect(printed).toMatchObject({ verified: true, complete: true, next: null, scheme: "amb" });
    expect([block.height, head]).toEqual([String(NEWEST), block]);
    expect(printed.entries.find(({ key }) => key === alice)?.since).toBe(String(NEWEST));
  });

  test.each([
    [
      "between two bounds",
      ["account/user 2", "account/user 4"],
      ["account/user 2", "account/user 4"],
    ],
    ["from a bound on", ["account/user 55"], ["account/user 55", "b"]],
    [
      "with a prefix that is 0x-hex",
      ["--prefix", hex("account/user 3")],
      ["account/user 3", "account/user 4"],
    ],
  ])("lists what is %s", async (_, args, [from = "", to = ""]) => {
    const { list } = await listed(...args);
    expect(list).toEqual(between(from, to));
    expect(list.length).toBeGreaterThan(1);
  });

  test("says where there is no key, or only one", async () => {
    const none = await run("range", "--prefix", "b", ...node);
    expect([none.status, none.stdout.split("  ")[1]]).toEqual([0, "no key"]);
    const one = await run("range", "--prefix", "account/alice", ...node);
    expect(one.stdout).toContain("verified  the only key  block");
    const first = await run("range", "--limit", "1", ...node);
    expect(first.stdout).toContain("verified  the first key  block");
  });

  test.each([
    ["next FROM", all, (bound: string) => [bound], []],
    ["next TO", [...all].reverse(), (bound: string) => ["0x", bound, "--reverse"], ["--reverse"]],
  ])("goes on at %s after a limit", async (name, list, rest, direction) => {
    const first = await run("range", "--limit", "7", ...direction, ...node);
    expect(first.stdout).toContain("the first 7 keys, none left out");
    const [, bound = ""] = new RegExp(`${name} +(0x\\S*)`).exec(first.stdout) ?? [];
    const { list: printed, next, complete } = await listed("--limit", "7", ...direction);
    expect([printed, next, complete]).toEqual([list.slice(0, 7), bound, false]);
    expect((await listed(...rest(bound))).list).toEqual(list.slice(7));
  });

  test("lists the state of an older block, by its height or its hash", async () => {
    const older = await listed("--at", "3");
    expect(older.list).toEqual(listAt(3n));
    expect([older.block.height, older.head.height]).toEqual(["3", String(NEWEST)]);
    const { block, list } = await listed("--at", older.block.hash);
    expect([block, list]).toEqual([older.block, older.list]);
  });

  test("says how far a long walk is", async () => {
    const { status, stdout, stderr } = await run("range", ...at(await slowly(network.url, 750)));
    expect(status).toBe(0);
    expect(stderr).toMatch(/^prooflight: 48 keys in 3 pages so far\n$/);
    expect(stdout).toContain(`all ${all.length} keys, none left out`);
    expect(stdout).toMatch(/bytes in 4 pages/);
  });

  test("ends at the page that is refused; what was printed before is verified", async () => {
    const server = await slowly(liar("amb-page-left-out"), 0);
    const { status, stdout, stderr } = await run("range", ...at(server));
    expect(status).toBe(1);
    expect(stderr).toContain("mismatch / node_not_expanded");
    const end = `${all[15]?.[0] ?? ""}00`;
    expect(stderr).toContain(`16 keys up to ${end} in block ${NEWEST} are verified`);
    expect(stderr).toContain(`this bound as FROM, with --at ${NEWEST}`);
    expect([...stdout.matchAll(/^ {2}account.*? {2}(0x\S+)/gm)].map(([, key]) => key)).toEqual(
      all.slice(0, 16).map(([key]) => key),
    );
    expect(stdout).not.toContain("verified");
    expect((await listed(end, "--at", String(NEWEST))).list).toEqual(all.slice(16));
  });

  test("refuses a server that leaves a key out, and asks the next one", async () => {
    const lied = await run("range", ...at(liar("amb-left-out")));
    expect([lied.status, lied.stdout]).toEqual([1, ""]);
    expect(lied.stderr).toContain(`${new URL(network.liar).host}: mismatch / root_mismatch`);
    const { status, stdout, stderr } = await run("range", ...at(liar("amb-left-out"), network.url));
    expect(status).toBe(0);
    expect(stdout).toContain(`all ${all.length} keys, none left out`);
    expect(stderr).toContain("root_mismatch");
  });
});

describe("prooflight count", () => {
  test("prints how many keys there are", async () => {
    const { status, stdout } = await run("count", ...node);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^✔ verified {2}${all.length} keys {2}block ${NEWEST} `));
    expect(stdout).toMatch(/proof +amb, \d+ bytes, verified in/);
    const one = await run("count", "--prefix", "account/alice", ...node);
    expect(one.stdout).toContain("verified  1 key  block");
  });

  test.each([
    [["--prefix", "account/user 1"], 11],
    [["account/user 2", "account/user 4"], between("account/user 2", "account/user 4").length],
    [["b"], 0],
    [["--at", "3"], listAt(3n).length],
  ])("of %j is in its JSON", async (args, count) => {
    const { stdout } = await run("count", ...args, "--json", ...node);
    expect(JSON.parse(stdout)).toMatchObject({
      verified: true,
      count: String(count),
      scheme: "amb",
    });
  });

  test("refuses a wrong one", async () => {
    const lied = await run("count", ...at(liar("amb-wrong-count")));
    expect([lied.status, lied.stdout]).toEqual([1, ""]);
    expect(lied.stderr).toContain("mismatch / root_mismatch");
  });
});

test.each([
  [2, ["range", "a", "b", "c"]],
  [2, ["range", "b", "a"]],
  [2, ["range", "0xabc"]],
  [2, ["range", "a", "--prefix", "b"]],
  [2, ["range", "--limit", "0"]],
  [2, ["range", "--at", "newest"]],
  [2, ["range", "--bundle", "x.json"]],
  [2, ["count", "--limit", "1"]],
  [2, ["count", "--reverse"]],
  [2, ["count", "b", "b"]],
  [4, ["range", "--scheme", "nothing"]],
  [4, ["range", "--scheme", "smt"]],
  [4, ["count", "--scheme", "avl"]],
  [3, ["range", "--at", "1000"]],
  [3, ["count", "--at", "1000"]],
])("the exit code is %i for prooflight %j", async (code, args) => {
  const { status, stdout, stderr } = await run(...args, ...node);
  expect([status, stdout]).toEqual([code, ""]);
  expect(stderr).toMatch(/^prooflight: /);
});

test.each([
  [["range", "b", "--prefix", "a"], "prefix to be alone"],
  [["count", "b", "--prefix", "a"], "prefix to be alone"],
  [["range", "b", "a"], "from to be before to"],
  [["range", "--timeout", "0"], "timeout to be at least 1 millisecond"],
])("no server is asked for prooflight %j", async (args, problem) => {
  // No server listens there: whoever asked it would end with 3.
  const { status, stderr } = await run(...args, ...at("http://127.0.0.1:1"));
  expect(status).toBe(2);
  expect(stderr).toContain(problem);
});

test("a chain without amb is not asked", async () => {
  const other = file("other.json", JSON.stringify(network.other.pinned));
  const server = ["--server", network.other.url, "--checkpoint", other];
  for (const name of ["range", "count"]) {
    const { status, stdout, stderr } = await run(name, ...server);
    expect([status, stdout]).toEqual([4, ""]);
    expect(stderr).toContain("unsupported / ");
  }
});
