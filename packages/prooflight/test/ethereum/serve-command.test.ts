/** `prooflight eth serve`, as users run it. */

import { type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

import { createPublicClient, webSocket } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { listen as start } from "../listen.js";
import { run, start as startCommand } from "../node/command.js";
import { ask, closing, send } from "./endpoint.js";
import { signed, type SignedHead } from "./provable.js";
import { proofsIn } from "./serve.js";
import { honest, listen } from "./servers.js";

const folder = mkdtempSync(join(tmpdir(), "prooflight-serve-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const recorded = signed.find(({ one, head }) => {
  const { stateRoot } = head.blockAt(head.number)?.json ?? {};
  return proofsIn(one.replies, stateRoot as never).length > 0;
});
if (!recorded) {
  const remark = "serve lacks: a signed head with an account";
  console.log(remark);
  test.skip(remark, () => undefined);
}

/** A command that serves, with the lines that it has printed. */
class Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  stderr = "";

  constructor(args: readonly string[], variables?: Readonly<Record<string, string>>) {
    const all = ["eth", "serve", "--listen", "127.0.0.1:0", ...args];
    this.child = startCommand(all, variables);
    createInterface(this.child.stdout).on("line", (line) => this.lines.push(line));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
  }

  /** Waits for a line of JSON with this event. */
  async event(name: string): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.lines.find((line) => line.includes(`"event":"${name}"`));
      if (found !== undefined) return JSON.parse(found) as Record<string, unknown>;
      if (this.child.exitCode !== null) throw new Error(`ended: ${this.stderr}`);
      await delay(20);
    }
  }

  async end(signal: "SIGINT" | "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    const [code] = (await once(this.child, "close")) as [number | null];
    return code;
  }
}

describe.runIf(recorded)("the command", () => {
  let one: SignedHead["one"];
  let head: SignedHead["head"];
  const old = ["--max-checkpoint-age", "100000"];
  let servers: string;
  const asked: string[] = [];
  beforeAll(async () => {
    if (!recorded) throw new Error("no such head");
    ({ one, head } = recorded);
    const answers = honest(head);
    const server = await listen((question) => {
      asked.push("path" in question ? question.path : question.method);
      return answers(question);
    });
    closing.push(server.close);
    servers = server.url;
  });
  const options = (execution = [servers], beacon = [servers]) => [
    ...["--network", head.network, "--checkpoint", head.checkpoint, ...old],
    ...beacon.flatMap((url) => ["--beacon", url]),
    ...execution.flatMap((url) => ["--execution", url]),
  ];
  const accounts = () =>
    proofsIn(one.replies, head.blockAt(head.number)?.json["stateRoot"] as never);

  test("answers from the head, keeps the state, and ends with a signal", async () => {
    const file = join(folder, "state");
    const command = new Running([...options(), "--state", file, "--json"]);
    const { url } = (await command.event("serving")) as { url: string };
    const first = await command.event("head");
    expect(first).toMatchObject({ network: head.network, block: { hash: head.hash } });
    const health = await send(url, { path: "/health" });
    expect(health.status).toBe(200);
    expect(JSON.parse(health.text)).toMatchObject({
      ok: true,
      network: head.network,
      head: { number: Number(head.number), hash: head.hash },
      ageSeconds: expect.any(Number) as number,
    });
    expect((await send(url, {})).text).toContain(head.network);
    const [account] = accounts();
    const { result } = await ask(url, "eth_getBalance", account?.address, "latest");
    expect(BigInt(result as string)).toBe(BigInt(account?.balance ?? -1));
    expect(await command.end("SIGTERM")).toBe(0);
    expect(command.stderr).toBe("");
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const before = asked.length;
    const withoutCheckpoint = options().filter((_, at) => at !== 2 && at !== 3);
    const again = new Running([...withoutCheckpoint, "--state", file]);
    while (!again.lines.some((line) => line.includes("verified  the head"))) {
      expect(again.child.exitCode).toBe(null);
      await delay(20);
    }
    expect(again.lines[0]).toMatch(
      new RegExp(`^serving ${head.network}, verified, at http://127.0.0.1:\\d+$`),
    );
    expect(again.lines.join("\n")).toContain(`from       the state in ${file}`);
    expect(again.lines.join("\n")).toContain(`block ${head.number}`);
    expect(asked.slice(before).filter((path) => path.includes("bootstrap"))).toEqual([]);
    expect(await again.end("SIGINT")).toBe(0);
    expect(readFileSync(file).length).toBeGreaterThan(100);
  });

  test("serves by WebSocket, whose connections end with it", async () => {
    const command = new Running([...options(), "--json"]);
    const { url, socketUrl } = await command.event("serving");
    expect(socketUrl).toBe((url as string).replace("http", "ws"));
    await command.event("head");
    const client = createPublicClient({
      transport: webSocket(socketUrl as string, { reconnect: false }),
    });
    expect(await client.getBlockNumber()).toBe(head.number);
    const { socket } = await client.transport.getRpcClient();
    const closed = new Promise<number>((resolve) => {
      socket.addEventListener("close", ({ code }: { code: number }) => {
        resolve(code);
      });
    });
    expect(await command.end("SIGTERM")).toBe(0);
    expect(await closed).toBe(1001);
  });

  test("says that it serves HTTP alone, without ws", async () => {
    const hook = `export async function resolve(name, context, next) {
      if (name !== "ws") return next(name, context);
      throw Object.assign(new Error("not installed"), { code: "ERR_MODULE_NOT_FOUND" });
    }`;
    const url = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
    const register = `import { register } from "node:module"; register(${JSON.stringify(url(hook))});`;
    const variables = { NODE_OPTIONS: `--import ${url(register)}` };
    const json = new Running([...options(), "--json"], variables);
    expect(await json.event("serving")).toMatchObject({ socketUrl: null });
    expect(await json.end("SIGTERM")).toBe(0);
    const command = new Running(options(), variables);
    while (!command.lines.some((line) => line.includes("Over HTTP only"))) {
      expect(command.child.exitCode).toBe(null);
      await delay(20);
    }
    expect(await command.end("SIGTERM")).toBe(0);
  });

  test("names the server that lies, and gives errors but no other answer", async () => {
    const lying = await listen((question) => {
      const answer = honest(head)(question);
      return "method" in question && question.method === "eth_getProof"
        ? { ...(answer as object), balance: "0x2" }
        : answer;
    });
    closing.push(lying.close);
    const command = new Running([...options([lying.url]), "--json"]);
    const { url } = (await command.event("serving")) as { url: string };
    await command.event("head");
    const [account] = accounts();
    for (let count = 0; count < 3; count++) {
      const reply = await ask(url, "eth_getBalance", account?.address, "latest");
      expect(reply.error).toMatchObject({ code: -32002, data: { reason: "account_mismatch" } });
      expect(reply).not.toHaveProperty("result");
    }
    expect(await command.end("SIGTERM")).toBe(0);
    const named = `prooflight: ${new URL(lying.url).host}: mismatch / account_mismatch`;
    expect(command.stderr.split("\n").filter((line) => line === named)).toHaveLength(1);
  });

  test("waits for a head, says why there is none, and ends at once", async () => {
    const nowhere = "http://127.0.0.1:1";
    const command = new Running([...options([nowhere], [nowhere]), "--json"]);
    const { url } = (await command.event("serving")) as { url: string };
    const waiting = ask(url, "eth_blockNumber").catch((error: unknown) => error);
    while (!command.stderr.includes("unreachable")) await delay(20);
    const health = await send(url, { path: "/health" });
    expect(health.status).toBe(503);
    expect(JSON.parse(health.text)).toEqual({ ok: false, network: head.network });
    expect(await command.end("SIGTERM")).toBe(0);
    expect(await waiting).toBeInstanceOf(Error);
    expect(command.stderr.match(/unreachable/g)).toHaveLength(1);
  });

  test("ends if the checkpoint is too old", async () => {
    const young = options().filter((option) => !old.includes(option));
    const { status, stderr } = await run("eth", "serve", "--listen", "127.0.0.1:0", ...young);
    expect(status).toBe(1);
    expect(stderr).toContain("untrusted / head_too_old");
  });

  test("needs a port that is free", async () => {
    const taken = createServer();
    const { url, close } = await start(taken);
    closing.push(close);
    const at = new URL(url).host;
    const { status, stdout, stderr } = await run("eth", "serve", "--listen", at, ...options());
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`--listen ${at} to be free`);
    expect(stderr).toContain("a port that another program uses");
  });

  test.each([
    ["an address", ["--listen", "8545"], /--listen HOST:PORT/],
    ["a port", ["--listen", "127.0.0.1:65536"], /--listen HOST:PORT/],
    ["a host", ["--host", "http://x"], /--host NAME/],
    ["an origin", ["--origin", "*"], /--origin ORIGIN/],
    ["a known network", ["--network", "morden"], /mainnet, sepolia, hoodi/],
    ["only its own options", ["--slot", "0x0"], /eth serve takes no --slot/],
    ["no argument", ["x"], /eth serve takes no arguments/],
  ])("needs %s", async (_, args, problem) => {
    const { status, stdout, stderr } = await run("eth", "serve", ...options(), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(problem);
  });

  test("needs a file for the state that can be written", async () => {
    const file = join(folder, "nowhere", "state");
    const args = ["--listen", "127.0.0.1:0", ...options(), "--state", file];
    const { status, stderr } = await run("eth", "serve", ...args);
    expect(status).toBe(2);
    expect(stderr).toContain("--state FILE that can be written");
  });

  test("does not serve from a state that is none", async () => {
    const file = join(folder, "broken");
    writeFileSync(file, "nothing");
    const args = ["--listen", "127.0.0.1:0", ...options(), "--state", file];
    const { status, stdout } = await run("eth", "serve", ...args);
    expect(status).not.toBe(0);
    expect(stdout).toBe("");
  });
});
