// A real node with accounts, the real lying proxy, the built page, and Chromium.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import type { BrowserContextOptions } from "playwright-core";
import { preview } from "vite";

import { startProxy } from "../../../packages/lying-proxy/src/proxy.mjs";
import { openPage, startChromium } from "../../page/test/browser.js";
import { keyOf, parseAmount, writeAmount } from "../src/account.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const binary =
  process.env.PROOFLIGHT_NODE ??
  fileURLToPath(new URL("../../../target/node/prooflight-node", import.meta.url));

/** What the demo's chain keeps, too. */
export const SCHEMES = "avl,lvmt,smt,lmpt,amb";

/** The accounts at first. */
export const BALANCES = { alice: "1250.00", bob: "320.50", carol: "0.05", dave: "9000000.00" };

export type World = Awaited<ReturnType<typeof start>>;

/** The options of a chain with some schemes. */
function optionsOf(schemes: string): string[] {
  const given = schemes.split(",");
  return [
    ...["--schemes", schemes],
    ...(given.includes("lvmt") ? ["--lvmt-log-n", "12"] : []),
    ...(given.includes("lmpt") ? ["--lmpt-era-blocks", "8"] : []),
  ];
}

/** Starts everything, with a chain that keeps these schemes. */
export async function start(schemes = SCHEMES) {
  for (const file of [binary, `${root}dist/index.html`]) {
    if (!existsSync(file)) throw new Error(`no ${file}: run \`npm run build\` before the tests`);
  }
  const folder = mkdtempSync(join(tmpdir(), "prooflight-wallet-"));
  const data = join(folder, "node");
  run("init", "--data-dir", data, "--chain-id", "wallet-test", ...optionsOf(schemes));
  const checkpoint = JSON.parse(run("checkpoint", "--data-dir", data)) as {
    headerHash: string;
    config: { authorities: string[] };
  };
  const demoFile = join(folder, "demo.json");
  process.env.PROOFLIGHT_DEMO = demoFile; // which vite.config.ts reads
  const server = await preview({ root, logLevel: "warn", preview: { host: "localhost", port: 0 } });
  const url = server.resolvedUrls?.local[0] ?? "";
  const node = new Node(data, "--origin", new URL(url).origin);
  await node.start();
  await node.submit(BALANCES);
  const proxy = await startProxy({ target: node.url });

  const servers = { node: node.url, proxy: proxy.url };
  const demo = { servers, checkpoint, accounts: Object.keys(BALANCES), insecureSetup: true };
  const writeDemo = (changes: Partial<typeof demo> = {}) => {
    writeFileSync(demoFile, JSON.stringify({ ...demo, ...changes }));
  };
  writeDemo();
  // Names that lead to this machine, as a name server of an attacker can give out.
  const browser = await startChromium("--host-resolver-rules=MAP *.example 127.0.0.1");

  /** Makes what some lies need. */
  async function makePast(): Promise<void> {
    // More accounts than a page of the list has.
    const others = Array.from({ length: 60 }, (_, index) => [`other-${index}`, "1.00"] as const);
    await node.submit(Object.fromEntries(others));
    // More blocks than the page shows, so that its diff is after one of them.
    for (let paid = 1; paid < 32; paid++) await node.submit({ bob: `${paid}.00` });
  }

  /** Opens the page in a profile of its own. */
  const visit = (options: BrowserContextOptions = {}) =>
    openPage(browser, url, options, {
      requests: [url, node.url, proxy.url, "blob:"],
      // Whoever switches quickly ends what has just begun, and the browser remarks on it.
      messages: /WebSocket is closed before the connection/,
    });

  async function stop(): Promise<void> {
    await browser.close();
    await server.close();
    await proxy.close();
    await node.stop();
    rmSync(folder, { recursive: true });
  }

  return {
    node,
    proxy,
    url,
    folder,
    checkpoint,
    demoFile,
    writeDemo,
    browser,
    makePast,
    visit,
    stop,
  };
}

/** Runs a command of the node; returns its output. */
export const run = (...args: string[]) => execFileSync(binary, args, { encoding: "utf8" });

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const set = (name: string, value: Uint8Array) => ({
  op: "Set",
  key: hex(keyOf(name)),
  value: hex(value),
});

/** The operation that deletes an account. */
export const remove = (name: string) => ({ op: "Delete", key: hex(keyOf(name)) });

/** The node, which can be stopped and started again at the same address. */
export class Node {
  readonly #data: string;
  readonly #settings: string[];
  #address = "127.0.0.1:0";
  #admin = "";
  #process: ChildProcess | undefined;

  /** A node whose chain is in this folder. */
  constructor(data: string, ...settings: string[]) {
    this.#data = data;
    this.#settings = settings;
  }

  get url(): string {
    return `http://${this.#address}`;
  }

  /** The listener for operators. */
  get admin(): string {
    return `http://${this.#admin}`;
  }

  /** Starts the node, and waits until it serves, or until its log has another message with the field `address`. */
  async start(message = /serving address=(\S+)/): Promise<void> {
    const listen = ["--listen", this.#address, "--admin-listen", "127.0.0.1:0"];
    const args = ["run", "--data-dir", this.#data, ...listen, ...this.#settings];
    const node = spawn(binary, [...args, "--block-interval-ms", "100"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = node;
    this.#address = await new Promise((resolve, reject) => {
      const lines: string[] = [];
      for (const input of [node.stdout, node.stderr]) {
        createInterface({ input }).on("line", (line) => {
          lines.push(line);
          this.#admin = /opening admin=(\S+)/.exec(line)?.[1] ?? this.#admin;
          const [, address] = message.exec(line) ?? [];
          if (address) resolve(address);
        });
      }
      node.once("exit", (code) => {
        reject(new Error(`the node ended with ${code}:\n${lines.join("\n")}`));
      });
    });
  }

  async stop(): Promise<void> {
    if (!this.#process) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  /** Sets balances; gives the height of their block, once it is made. */
  async submit(balances: Readonly<Record<string, string>>): Promise<bigint> {
    return this.make(
      Object.entries(balances).map(([name, balance]) => {
        // What is no amount is set as it is.
        const cents = parseAmount(balance);
        return set(
          name,
          cents === undefined ? new TextEncoder().encode(balance) : writeAmount(cents),
        );
      }),
    );
  }

  /** Makes a block of operations; gives its height. */
  async make(ops: readonly object[]): Promise<bigint> {
    const { height } = await this.call<{ height: string }>("prooflight_submit", { ops });
    return BigInt(height);
  }

  async call<T>(method: string, params: object): Promise<T> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return ((await response.json()) as { result: T }).result;
  }
}
