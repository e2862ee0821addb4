/** `prooflight verify` trusts what its options say, and never what the file says about itself. */

import { describe, expect, test } from "vitest";

import { MAINNET } from "./ethereum-server.js";
import { statement } from "../files.js";
import { filesFolder, prooflight, verdictOf, verify } from "./command.js";

const file = filesFolder();

const deleted = statement("lvmt/proof.json", "a deleted key at level 0");
const answer = statement(
  "chain/state_answer_schemes.json",
  "lvmt: alice at block 0, by the head 6",
);
const opening = statement("amt/opening.json", "entry 0 of 2, arity 2");
const ownKey = statement("amt/opening.json", "a key given by its bytes");
const devKey = statement("amt/opening.json", "the development key given by its bytes, allowed");
const sync = statement("chain/header_sync.json", "from height 0 to height 1");
const bySmt = statement("chain/state_answer_schemes.json", "smt: alice at block 0, by the head 6");

/** A statement without some of its members. */
function without(statement: Record<string, unknown>, ...members: string[]) {
  return Object.fromEntries(Object.entries(statement).filter(([name]) => !members.includes(name)));
}

/** A file with the checkpoint of a statement. */
const checkpointOf = ({ checkpoint }: Record<string, unknown>) =>
  file(`checkpoint-${crypto.randomUUID()}.json`, JSON.stringify(checkpoint));

describe("the permission for an insecure setup is the option's alone:", () => {
  const saved = without(answer, "checkpoint", "now");
  const cases: [string, Record<string, unknown>, string[], number][] = [
    ["LvmtProof", deleted, [], 0],
    ["AmtOpening", opening, [], 0],
    ["AmtOpening with a key of its own", devKey, [], 5],
    ["StateAnswer with a checkpoint of its own", answer, [], 5],
    ["StateAnswer", saved, ["--checkpoint", checkpointOf(answer)], 0],
  ];

  test.each(cases)("%s", (_, statement, args, expected) => {
    expect(statement["allowInsecureSetup"]).toBe(true);
    for (const allowInsecureSetup of [true, undefined]) {
      const refused = verify({ ...statement, allowInsecureSetup }, ...args);
      expect(refused.status).toBe(4);
      expect(refused.stdout).toContain("insecure_setup");
      expect(refused.stdout).not.toContain("✔");
      expect(refused.stdout.includes("only --allow-insecure-setup can")).toBe(
        allowInsecureSetup === true,
      );
    }
    expect(verdictOf(statement, ...args)).toMatchObject({
      ...{ verified: false, error: { code: "unsupported", reason: "insecure_setup" } },
    });
    const allowed = { ...statement, allowInsecureSetup: false };
    const { status, stdout } = verify(allowed, "--allow-insecure-setup", ...args);
    expect(status).toBe(expected);
    expect(stdout).toContain("with an insecure setup allowed");
    expect(stdout).toContain("anyone can forge proofs");
  });

  test("what is no boolean is refused, whatever the option says", () => {
    expect(verify({ ...deleted, allowInsecureSetup: "true" }).status).toBe(2);
    const nothing = { ...deleted, allowInsecureSetup: null };
    expect(verify(nothing, "--allow-insecure-setup").status).toBe(2);
  });

  test("a statement that cannot rest on a setup takes none", () => {
    const batch = statement("smt/proof.json", "no key yet");
    expect(verify(batch).status).toBe(0);
    expect(verify(batch, "--allow-insecure-setup").status).toBe(2);
    expect(verify({ ...batch, allowInsecureSetup: true }).status).toBe(2);
  });

  test("vectors run as they stand", () => {
    const path = new URL("../../../../test-vectors/lvmt/proof.json", import.meta.url).pathname;
    expect(prooflight(["vectors", path]).status).toBe(0);
  });
});

describe("a checkpoint in the file itself is not trusted:", () => {
  test.each([
    ["StateAnswer", bySmt],
    ["HeaderSync", sync],
  ])("%s ends with 5, and says why", (_, statement) => {
    const { status, stdout } = verify(statement);
    expect(status).toBe(5);
    expect(stdout).not.toContain("✔");
    expect(stdout).toContain("verified only relative to the checkpoint in the file");
    expect(stdout).toContain("--checkpoint FILE");
    expect(verdictOf(statement)).toMatchObject({ verified: false, unpinned: ["checkpoint"] });
  });

  test.each([
    ["StateAnswer", bySmt],
    ["HeaderSync", sync],
  ])("%s is verified from that of --checkpoint", (_, statement) => {
    const saved = without(statement, "checkpoint", "now", "maxClockSkew", "maxHeadAge");
    const pinned = checkpointOf(statement);
    expect(verify(saved, "--checkpoint", pinned).status).toBe(0);
    expect(verdictOf(saved, "--checkpoint", pinned)).toMatchObject({ verified: true });
    // The file cannot say what time it is, nor which checkpoint it is verified from.
    for (const member of ["checkpoint", "now"]) {
      const brought = { ...saved, [member]: statement[member] };
      const { status, stderr } = verify(brought, "--checkpoint", pinned);
      expect(status).toBe(2);
      expect(stderr).toContain(`without the member ${member} beside --checkpoint`);
    }
  });

  test("whoever verifies has another one", () => {
    const other = checkpointOf(sync);
    expect(verify(without(bySmt, "checkpoint", "now"), "--checkpoint", other).status).toBe(1);
  });
});

describe("a verifying key:", () => {
  const bytes = Buffer.from((ownKey["setup"] as string).slice(2), "hex");
  const key = file("key.bin", bytes);

  test("of the file itself is not trusted", () => {
    const { status, stdout } = verify(ownKey);
    expect(status).toBe(5);
    expect(stdout).toContain("verified only relative to the verifying key in the file");
    expect(verdictOf(ownKey)).toMatchObject({ verified: false, unpinned: ["setup"] });
  });

  test("of the file is not trusted where the file names the setup too", () => {
    const given = statement("lvmt/setup.json", "the ceremony's key");
    const brought = verdictOf(given);
    expect(brought).toMatchObject({ verified: false, unpinned: ["verifyingKey"] });
    expect(verify(given).status).toBe(5);
  });

  test("of --verifying-key is, and no other", () => {
    expect(verify(ownKey, "--verifying-key", key).status).toBe(0);
    expect(verify(without(ownKey, "setup"), "--verifying-key", key).status).toBe(0);
    expect(verdictOf(ownKey, "--verifying-key", key)).toMatchObject({
      ...{ verified: true, trusted: { setup: ownKey["setup"] } },
    });
    const dev = file("dev.bin", Buffer.from((devKey["setup"] as string).slice(2), "hex"));
    const other = verify(ownKey, "--verifying-key", dev, "--allow-insecure-setup");
    expect(other.status).toBe(1);
    expect(other.stdout).toContain("setup_mismatch");
    expect(verify(devKey, "--verifying-key", dev).status).toBe(4);
    expect(verify(devKey, "--verifying-key", dev, "--allow-insecure-setup").status).toBe(0);
  });

  test("is compared with what the roots or the checkpoint say", () => {
    for (const [statement, args] of [
      [deleted, []],
      [without(answer, "checkpoint", "now"), ["--checkpoint", checkpointOf(answer)]],
    ] as const) {
      const refused = verify(statement, "--verifying-key", key, ...args);
      expect(refused.status).toBe(1);
      expect(refused.stdout).toContain("setup_mismatch");
    }
  });

  test("says nothing of a setup that is named, or of a statement without one", () => {
    const named = verify(opening, "--verifying-key", key, "--allow-insecure-setup");
    expect(named.status).toBe(2);
    expect(verify(sync, "--verifying-key", key).status).toBe(2);
    expect(verify(ownKey, "--verifying-key", `${key}.none`).status).toBe(2);
  });
});

test("the options of eth_getProof say nothing of a statement that has a state root", () => {
  const own = { kind: "EthGetProof", ...MAINNET.contract };
  expect(verify(own).status).toBe(0);
  const other = `0x${"11".repeat(32)}`;
  for (const args of [
    ["--state-root", other],
    ["--address", `0x${"11".repeat(20)}`],
    ["--slot", "0x1"],
  ]) {
    expect(verify(own, ...args).status).toBe(2);
  }
});
