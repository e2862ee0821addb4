/** A real geth, which the tests trust. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { pathOf } from "./execution-apis.js";

/** The program: that of PROOFLIGHT_GETH, or `geth` of the path, where `npm test -- ethereum` builds it. */
function findGeth(): string {
  const given = process.env["PROOFLIGHT_GETH"];
  if (given !== undefined && given !== "") return given;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, "geth")).find(isProgram);
  if (found === undefined) throw new Error("no geth: npm test -- ethereum builds it");
  return found;
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

/** Imports the chain of the execution-apis tests, with the state of every block, and serves it. */
export function startGeth(): Promise<Geth> {
  const common = ["--state.scheme", "hash", "--gcmode", "archive"];
  return start(common, (run) => {
    run("init", pathOf("genesis.json"));
    run("import", pathOf("chain.rlp"));
  });
}

/** Serves a new chain of Prague whose blocks are made as transactions arrive. */
export const startDevGeth = (): Promise<Geth> => start(["--dev"], () => undefined);

async function start(
  common: readonly string[],
  prepare: (run: (...args: string[]) => void) => void,
): Promise<Geth> {
  const program = findGeth();
  const folder = mkdtempSync(join(tmpdir(), "prooflight-geth-"));
  const all = ["--datadir", folder, ...common];
  prepare((...args) => execFileSync(program, [...all, ...args], { stdio: "pipe" }));
  const network = ["--nodiscover", "--maxpeers", "0", "--port", "0", "--authrpc.port", "0"];
  const http = ["--http", "--http.addr", "127.0.0.1", "--http.port", "0", "--http.api", "eth"];
  const node = spawn(program, [...all, ...network, ...http, "--ipcdisable"], { stdio: "pipe" });
  return {
    version: execFileSync(program, ["version"], { encoding: "utf8", stdio: "pipe" }),
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
