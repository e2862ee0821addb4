/** `prooflight verify` with an answer of an Ethereum node, as it came. */

import { describe, expect, test } from "vitest";

import { verdictOf, verify } from "./command.js";
import { MAINNET } from "./ethereum-server.js";

const { contract, miner } = MAINNET;
const root = ["--state-root", contract.stateRoot];

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

  test("names whole slots, among what must be known", () => {
    const { slots } = contract;
    expect(slots.length).toBeGreaterThan(0);
    const { stdout } = verify(contract.response, ...root);
    const [trusted = "", shown = ""] = stdout.split("The proof shows:");
    for (const slot of slots) {
      expect(trusted).toMatch(new RegExp(`(^|\\s)${slot}$`, "m"));
      expect(shown).toMatch(new RegExp(`^ +${slot}\n +0x[0-9a-f]+$`, "m"));
    }
    expect(trusted).toContain("The answer itself names the address and the slots");
    expect(verdictOf(contract.response, ...root)).toMatchObject({
      trusted: { address: contract.address, slots },
    });
  });

  test("is about the slots that --slot says, and no look-alikes", () => {
    const { slots, response } = contract;
    const asked = slots.flatMap((slot) => ["--slot", slot]);
    const address = ["--address", contract.address];
    const told = verify(response, ...root, ...address, ...asked);
    expect(told.status).toBe(0);
    expect(told.stdout).not.toContain("The answer itself names");
    // The first 25 and the last 8 digits are the same.
    const [first = "0x", ...others] = slots.map((slot) => slot.slice(2).padStart(64, "0"));
    const alike = `0x${first.slice(0, 30)}${first[30] === "0" ? "1" : "0"}${first.slice(31)}`;
    const rest = others.flatMap((slot) => ["--slot", `0x${slot}`]);
    const refused = verify(response, ...root, "--slot", alike, ...rest);
    expect(refused.status).toBe(1);
    expect(refused.stdout).toContain("slot_keys_mismatch");
    expect(verify(response, ...root, ...asked, "--slot", "0x0").status).toBe(1);
    expect(verify(response, ...root, "--slot", "one").status).toBe(2);
  });
});
