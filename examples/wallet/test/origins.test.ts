// What pages of other origins can do to nodes on this machine, in Chromium, with names that lead to it.

import { join } from "node:path";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { Node, run, start, type World } from "./world.js";

let world: World;
/** A node that names no origin; that of the world names the wallet. */
let open: Node;

beforeAll(async () => {
  world = await start("avl");
  const data = join(world.folder, "open");
  run("init", "--data-dir", data, "--schemes", "avl");
  open = new Node(data);
  await open.start();
});

afterAll(async () => {
  await open.stop();
  await world.stop();
});

/** Under a name that leads to this machine. */
const renamed = (url: string, name: string) => `${url.replace("127.0.0.1", name)}/health`;

/** A page; the three pages of a node will do, since what they try is put into them. */
async function visit(url: string) {
  const context = await world.browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** What becomes of the calls of a page at `from` over HTTP and over a WebSocket: a reason, "done" or "unreachable". */
async function calls(from: string, node: string, method: string, params: object) {
  const page = await visit(from);
  return page.evaluate(
    async ({ node, body }) => {
      const outcome = (text: string) => {
        const { error } = JSON.parse(text) as { error?: { data: { reason: string } } };
        return error?.data.reason ?? "done";
      };
      const headers = { "content-type": "application/json" };
      const posted = await fetch(node, { method: "POST", headers, body }).then(
        async (response) => outcome(await response.text()),
        () => "unreachable",
      );
      const socket = new WebSocket(node.replace("http", "ws"));
      const said = await new Promise<string>((resolve) => {
        socket.onopen = () => {
          socket.send(body);
        };
        socket.onerror = () => {
          resolve("unreachable");
        };
        socket.onmessage = ({ data }) => {
          resolve(outcome(String(data)));
        };
      });
      socket.close();
      return [posted, said];
    },
    { node, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) },
  );
}

const SUBMIT = ["prooflight_submit", { ops: [{ op: "Set", key: "0x01", value: "0x02" }] }] as const;
const READ = ["prooflight_head", {}] as const;

const height = async (node: Node) => (await node.call<{ height: string }>(...READ)).height;

test("a page of another origin makes no block on a node, but reads", async () => {
  const before = await height(open);
  const page = renamed(world.node.url, "page.example");
  expect(await calls(page, open.url, ...SUBMIT)).toEqual(["not_authorised", "not_authorised"]);
  expect(await calls(page, open.url, ...READ)).toEqual(["done", "done"]);
  expect(await height(open)).toBe(before);
});

test("a page whose name leads to the node makes no block, but reads", async () => {
  const before = await height(open);
  const page = renamed(open.url, "rebound.example");
  const { origin } = new URL(page);
  expect(await calls(page, origin, ...SUBMIT)).toEqual(["not_authorised", "not_authorised"]);
  expect(await calls(page, origin, ...READ)).toEqual(["done", "done"]);
  // The same page asks by the node's address, too.
  expect(await calls(page, open.url, ...SUBMIT)).toEqual(["not_authorised", "not_authorised"]);
  expect(await height(open)).toBe(before);
});

test("the node's own page makes blocks", async () => {
  const before = await height(open);
  expect(await calls(`${open.url}/health`, open.url, ...SUBMIT)).toEqual(["done", "done"]);
  expect(await height(open)).not.toBe(before);
});

test("a node that names the wallet serves no other page", async () => {
  const before = await height(world.node);
  for (const page of [
    renamed(open.url, "page.example"),
    `${open.url}/health`,
    renamed(world.node.url, "rebound.example"),
  ]) {
    for (const [method, params] of [SUBMIT, READ]) {
      const outcomes = await calls(page, world.node.url, method, params);
      expect(outcomes, `${method} of ${page}`).toEqual(["unreachable", "unreachable"]);
    }
  }
  expect(await height(world.node)).toBe(before);
  const { url } = world;
  expect(await calls(url, world.node.url, ...SUBMIT)).toEqual(["done", "done"]);
  expect(await height(world.node)).not.toBe(before);
});

test("the liar hides no page from a node", async () => {
  const before = await height(world.node);
  const proxy = `${world.proxy.url}/honest`;
  const [posted, said] = await calls(renamed(open.url, "page.example"), proxy, ...SUBMIT);
  expect([posted, said]).toEqual(["not_authorised", "unreachable"]);
  expect(await height(world.node)).toBe(before);
});

test("no page reaches a node's listener for operators", async () => {
  const put = async (from: string, admin: string) => {
    const page = await visit(from);
    return page.evaluate(
      ([url]) =>
        fetch(url, { method: "PUT" }).then(
          ({ status }) => status,
          () => "unreachable",
        ),
      [`${admin}/clock`] as const,
    );
  };
  const rebound = renamed(open.admin, "rebound.example");
  expect(await put(rebound, new URL(rebound).origin)).toBe(403);
  expect(await put(rebound, open.admin)).toBe("unreachable");
  expect(await put(renamed(open.url, "page.example"), open.admin)).toBe("unreachable");
  const page = await visit(rebound);
  expect(await page.textContent("body")).toContain("--host");
  expect((await fetch(`${open.admin}/clock`, { method: "PUT" })).status).toBe(200);
});

test("no page reaches the listener for authorities", async () => {
  const key = run("keygen", join(world.folder, "authority.key")).trim();
  const data = join(world.folder, "leader");
  run("init", "--data-dir", data, "--schemes", "avl", "--authority", key, "--quorum", "1");
  const leader = new Node(data, "--authority-listen", "127.0.0.1:0");
  await leader.start(/remote authorities sign authorities=(\S+)/);
  onTestFinished(() => leader.stop());
  // Its address is that of the listener for authorities: it has no other before the first block.
  const rebound = renamed(leader.url, "rebound.example");
  const awaited = { authority: 0, next: "0x0", waitMs: "0x0" };
  for (const [from, to] of [
    [renamed(open.url, "page.example"), leader.url],
    [`${open.url}/health`, leader.url],
    [`${leader.url}/health`, leader.url],
    [rebound, new URL(rebound).origin],
  ] as const) {
    const calling = calls(from, to, "prooflight_awaited", awaited);
    const own = new URL(from).origin === to;
    expect(await calling, from).toEqual([own ? "not_authorised" : "unreachable", "unreachable"]);
  }
  // The authority still counts as missing.
  const ready = await fetch(`${leader.admin}/ready`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining("quorum")]);
});
