/** `prooflight verify` with an answer of an Ethereum node, as it came. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { MAINNET } from "./ethereum-server.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const { contract, miner } = MAINNET;
const root = ["--state-root", contract.stateRoot];

function verify(answer: unknown, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "verify", "-", ...args], {
    input: JSON.stringify(answer),
    env: { ...process.env, FORCE_COLOR: undefined },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("an answer to eth_getProof", () => {
  test.each([
    ["the result", contract.response],
    ["the whole reply", { jsonrpc: "2.0", id: 1, result: contract.response }],
  ])("is verified as it came: %s", (_, answer) => {
    const { status, stdout } = verify(answer, ...root);
    expect(status).toBe(0);
    expect(stdout).toContain("verified  mpt EthGetProof");
    expect(stdout).toContain(`address    ${contract.address}`);
    expect(stdout).toContain(contract.response.codeHash);
    expect(stdout).toContain("Each slot:");
  });

  test("is refused if it says something else than its proof", () => {
    const { status, stdout } = verify({ ...miner.response, balance: "0x1" }, ...root);
    expect(status).toBe(1);
    expect(stdout).toContain("account_mismatch");
  });

  test("is refused if it is about another account than was asked for", () => {
    const { status, stdout } = verify(miner.response, ...root, "--address", contract.address);
    expect(status).toBe(1);
    expect(stdout).toContain("address_mismatch");
    expect(verify(miner.response, ...root, "--address", miner.address).status).toBe(0);
  });

  test("needs a state root that does not come with it", () => {
    expect(verify(miner.response).status).toBe(2);
    expect(verify({ ...miner.response, stateRoot: contract.stateRoot }).status).toBe(2);
    const other = verify(miner.response, "--state-root", `0x${"11".repeat(32)}`);
    expect(other.status).toBe(1);
  });
});
