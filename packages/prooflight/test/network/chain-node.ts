/** A real node in a process of its own, with a folder of its own. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import type { Checkpoint } from "../../src/chain/checkpoint.js";
import { submit } from "./chain-client.js";
import type { Operation } from "./state.js";

const program =
  process.env["PROOFLIGHT_NODE"] ??
  fileURLToPath(new URL("../../../../target/node/prooflight-node", import.meta.url));

const run = promisify(execFile);

export class ChainNode {
  readonly #folder: string;
  #address = "127.0.0.1:0";
  #process: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Begins a chain in a new folder inside `parent`; the node does not run yet. */
  static async begin(
    parent: string,
    chainId: string,
    schemes = "avl",
    ...more: string[]
  ): Promise<ChainNode> {
    const node = new ChainNode(join(parent, encodeURIComponent(chainId).slice(0, 100)));
    const options = ["--chain-id", chainId, "--schemes", schemes, ...more];
    await run(program, ["init", "--data-dir", node.#folder, ...options]);
    return node;
  }

  /** Where it listens, the same after every start. */
  get url(): string {
    return `http://${this.#address}`;
  }

  /** Runs it; resolves once it serves. */
  async start(): Promise<void> {
    const listen = ["--listen", this.#address, "--admin-listen", "127.0.0.1:0"];
    const options = [...listen, "--block-interval-ms", "1", "--log-format", "json"];
    const child = spawn(program, ["run", "--data-dir", this.#folder, ...options], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    const log: string[] = [];
    for await (const line of createInterface(child.stderr)) {
      log.push(line);
      const { fields } = JSON.parse(line) as { fields: { message: string; address?: string } };
      if (fields.message === "serving" && fields.address) {
        this.#address = fields.address;
        child.stderr.resume();
        return;
      }
    }
    throw new Error(`the node does not run:\n${log.join("\n")}`);
  }

  /** Ends it; resolves once it has ended. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }

  /** A node with the same chain so far and the same key. This one must not run. */
  async fork(name: string): Promise<ChainNode> {
    const folder = `${this.#folder}-${name}`;
    await cp(this.#folder, folder, { recursive: true });
    return new ChainNode(folder);
  }

  /** The checkpoint of a height, or of the newest block. It must not run. */
  async checkpoint(height?: bigint): Promise<Checkpoint> {
    const options = height === undefined ? [] : ["--height", String(height)];
    const args = ["checkpoint", "--data-dir", this.#folder, ...options];
    return JSON.parse((await run(program, args)).stdout) as Checkpoint;
  }

  /** Makes a block of these operations. */
  async submit(ops: readonly Operation[]): Promise<void> {
    await submit(this.url, ops);
  }
}
