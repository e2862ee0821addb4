/** A real geth with the chain of the execution-apis tests. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { pathOf } from "./execution-apis.js";

/** The program: that of PROOFLIGHT_GETH, or `geth` of the path; undefined if there is none. */
export function findGeth(): string | undefined {
  const given = process.env["PROOFLIGHT_GETH"];
  if (given !== undefined) return given;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "geth")).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A running node. */
export interface Geth {
  version: string;
  url: string;
  stop: () => Promise<void>;
}

/** Imports the chain into a new folder, with the state of every block, and serves it. */
export async function startGeth(program: string): Promise<Geth> {
  const folder = mkdtempSync(join(tmpdir(), "prooflight-geth-"));
  const common = ["--datadir", folder, "--state.scheme", "hash", "--gcmode", "archive"];
  const run = (...args: string[]) =>
    execFileSync(program, [...common, ...args], { encoding: "utf8", stdio: "pipe" });
  run("init", pathOf("genesis.json"));
  run("import", pathOf("chain.rlp"));
  const network = ["--nodiscover", "--maxpeers", "0", "--port", "0", "--authrpc.port", "0"];
  const http = ["--http", "--http.addr", "127.0.0.1", "--http.port", "0", "--http.api", "eth"];
  const node = spawn(program, [...common, ...network, ...http, "--ipcdisable"], { stdio: "pipe" });
  return {
    version: run("version"),
    url: await urlOf(node),
    async stop() {
      if (node.exitCode === null) {
        const ended = new Promise((resolve) => node.once("exit", resolve));
        node.kill();
        await ended;
      }
      rmSync(folder, { recursive: true });
    },
  };
}

/** The URL that a node prints when it is ready. */
const urlOf = (node: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let said = "";
    node.stderr?.on("data", (data: Buffer) => {
      said += data.toString();
      const found = /HTTP server started.*endpoint=(127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (found !== undefined) resolve(`http://${found}`);
    });
    node.once("error", reject);
    node.once("exit", (code) => {
      reject(new Error(`geth ended with ${String(code)}: ${said}`));
    });
  });
