/** foundry's programs read from `prooflight eth serve`. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createPublicClient, http } from "viem";
import { beforeAll, describe, expect, test } from "vitest";

import { createProvider, type Eip1193Provider } from "../../src/provider.js";
import { startAnvil } from "./anvil.js";
import { closing, HISTORY, RICH, servedProvider, serving, word } from "./endpoint.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";
import { hashOf } from "./provider-of.js";

let chain: ExecutionChain;
let url: string;
const asked: string[] = [];
beforeAll(async () => {
  chain = await executeChain();
  url = await serving(noting(servedProvider(chain)));
});

/** A provider whose requests are noted. */
const noting = (provider: Eip1193Provider): Eip1193Provider => ({
  request: (request) => {
    asked.push(request.method);
    return provider.request(request);
  },
});

/** Runs one of foundry's programs; gives what it printed, and its exit code. */
async function run(
  program: "cast" | "forge",
  [command = "", ...args]: readonly string[],
  cwd = tmpdir(),
) {
  const require = createRequire(import.meta.url);
  const cpu = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/${program}-${process.platform}-${cpu}/bin/${program}`;
  const child = spawn(require.resolve(name), [command, "--rpc-url", url, ...args], {
    cwd,
    env: { ...process.env, FOUNDRY_DISABLE_NIGHTLY_WARNING: "1", HOME: cwd },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += String(text)));
  child.stderr.on("data", (text) => (stderr += String(text)));
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout: stdout.trim(), stderr };
}

const cast = (...args: string[]) => run("cast", args);

describe("cast", () => {
  test("call", async () => {
    const { stdout } = await cast("call", HISTORY, "--data", word(0x35));
    expect(stdout).toBe(hashOf(chain, 0x35));
  });

  test("balance", async () => {
    const { stdout } = await cast("balance", RICH);
    expect(BigInt(stdout)).toBeGreaterThan(10n ** 30n);
    const older = await cast("balance", RICH, "--block", "42");
    expect(BigInt(older.stdout)).toBeGreaterThan(10n ** 30n);
  });

  test("block", async () => {
    const block = JSON.parse((await cast("block", "--json")).stdout) as { hash: string };
    expect(block.hash).toBe(hashOf(chain, 0x36));
    expect((await cast("block", "42", "--field", "hash")).stdout).toBe(hashOf(chain, 42));
    expect((await cast("block-number")).stdout).toBe("54");
  });

  test("client and chain-id", async () => {
    expect((await cast("client")).stdout).toMatch(/^prooflight\//);
    expect((await cast("chain-id")).stdout).toBe(String(chain.options.chainId));
  });

  test("estimate", async () => {
    const { stdout } = await cast("estimate", RICH, "--value", "1", "--from", RICH);
    expect(stdout).toBe("21000");
  });

  test("shows why there is no answer", async () => {
    const reverted = await cast("call", HISTORY, "--data", "0x01");
    expect(reverted.code).not.toBe(0);
    expect(reverted.stderr).toContain("execution reverted");
    const tracing = await cast("rpc", "debug_traceTransaction", hashOf(chain, 1));
    expect(tracing.code).not.toBe(0);
    expect(tracing.stderr).toContain("does not exist/is not available");
  });
});

test("anvil forks from the endpoint", async () => {
  const node = await startAnvil("--fork-url", url);
  closing.push(node.stop);
  const client = createPublicClient({ transport: http(node.url) });
  expect(await client.getBalance({ address: RICH })).toBeGreaterThan(10n ** 30n);
  const { data } = await client.call({ to: HISTORY, data: word(0x35) });
  expect(data).toBe(hashOf(chain, 0x35));
});

describe("forge", () => {
  /** Tests the contract of `foundry/` over a fork; gives the result of each of its tests. */
  async function tested(...options: string[]) {
    const project = mkdtempSync(join(tmpdir(), "prooflight-forge-"));
    closing.push(() => {
      rmSync(project, { recursive: true });
    });
    const files = fileURLToPath(new URL("./foundry", import.meta.url));
    cpSync(files, project, { recursive: true, filter: (path) => !path.endsWith("solc.mjs") });
    symlinkSync(join(files, "solc.mjs"), join(project, "solc.mjs"));
    const { stdout, stderr } = await run("forge", ["test", "--json", ...options], project);
    if (!stdout.startsWith("{")) throw new Error(stderr);
    const [contract] = Object.values(JSON.parse(stdout) as Record<string, Tested>);
    return contract?.test_results;
  }

  interface Tested {
    test_results: Record<string, { status: string; reason: string | null }>;
  }

  test("tests a contract over a fork of the endpoint", async () => {
    expect(await tested()).toMatchObject({
      "testState()": { status: "Success" },
      // It is about a state that is not the chain's.
      "testWrongState()": { status: "Failure", reason: "the balance is not two" },
    });
  });

  test("asks for a node that it knows, and goes on with another one", async () => {
    const node = await startAnvil("--hardfork", "osaka");
    closing.push(node.stop);
    const client = createPublicClient({ transport: http(node.url) });
    // The first block of anvil does not have the root of its state.
    await client.request({ method: "anvil_mine", params: ["0x1"] } as never);
    const provider = createProvider({
      ...{ execution: [node.url], chainId: 31337, fork: "osaka" },
      heads: async () => ({ latest: (await client.getBlock()).hash }),
    });
    const before = url;
    asked.length = 0;
    url = await serving(noting(provider));
    const results = await tested("--match-test", "testWrongState");
    url = before;
    expect(results).toMatchObject({ "testWrongState()": { status: "Failure" } });
    expect(asked).toContain("anvil_nodeInfo");
  });
});
