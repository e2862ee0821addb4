/** `prooflight eth`, run as a user does, against recorded servers of mainnet. */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Progress } from "../../src/cli/ethereum/logs.js";
import { run } from "../node/command.js";
import { signed, type SignedHead } from "./provable.js";
import { OWN } from "./recorded.js";
import { type Proof, proofsIn, type Served } from "./serve.js";
import { type Answers, honest, listen } from "./servers.js";

const folder = mkdtempSync(join(tmpdir(), "prooflight-eth-"));
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
  rmSync(folder, { recursive: true });
});

const prooflight = (args: readonly string[]) => run(...args);

/** A server for both kinds of questions, which keeps what it was asked. */
async function serversOf({ head: served }: SignedHead) {
  const asked: string[] = [];
  const server = await listen((question) => {
    asked.push("path" in question ? question.path : question.method);
    return honest(served)(question);
  });
  closing.push(server.close);
  return { served, asked, url: server.url };
}

type Servers = Awaited<ReturnType<typeof serversOf>>;

/** For slow machines: decoding recorded blocks takes some seconds. */
const DECODING = 120_000;

/** The recorded checkpoints are years old. */
const OLD = ["--max-checkpoint-age", "100000"];

const optionsOf = ({ served, url }: Servers, execution = [url], beacon = [url]) => [
  ...["--network", served.network, "--checkpoint", served.checkpoint, ...OLD],
  ...beacon.flatMap((url) => ["--beacon", url]),
  ...execution.flatMap((url) => ["--execution", url]),
];

async function liar(served: Served, lie: (answer: unknown, asked: unknown) => unknown) {
  const answers: Answers = (asked) => lie(honest(served)(asked), asked);
  const { url, close } = await listen(answers);
  closing.push(close);
  return url;
}

const methodOf = (asked: unknown) => (asked as { method?: string }).method;

const quantity = (number: bigint) => `0x${number.toString(16)}`;

interface Log {
  address: string;
  topics: string[];
  data: string;
  logIndex: string;
  transactionHash: string;
}

interface Receipt {
  type: string;
  transactionHash: string;
  gasUsed: string;
  logs: Log[];
}

/** The recorded accounts that exist in the state of a head, those with slots first. */
function proofsOf({ one, head }: SignedHead): Proof[] {
  const { stateRoot } = head.blockAt(head.number)?.json ?? {};
  const slots = ({ storageProof }: Proof) => storageProof.length;
  const isFunded = ({ balance, nonce }: Proof) => balance !== "0x0" || nonce !== "0x0";
  const proofs = proofsIn(one.replies, stateRoot as never).filter(isFunded);
  return proofs.sort((a, b) => slots(b) - slots(a));
}

const receiptsOf = ({ head }: SignedHead) =>
  (head.execution("eth_getBlockReceipts", [head.hash]) ?? []) as Receipt[];

/** The logs of a contract in a block, which has one with three topics. */
function logsOf(head: SignedHead): Log[] {
  const all = receiptsOf(head).flatMap(({ logs }) => logs);
  const address = all.find(({ topics }) => topics.length > 2)?.address;
  return all.filter((log) => log.address === address);
}

const withAccount = signed.find((head) => proofsOf(head).length > 0);
// A receipt needs all transactions, and the price of blobs the block before.
const withLogs = signed.find((head) => logsOf(head).length > 0);

for (const [what, found] of [
  ["an account", withAccount],
  ["receipts with logs", withLogs],
] as const) {
  if (found) continue;
  const remark = `the command line lacks: a signed head with ${what}`;
  console.log(remark);
  test.skip(remark, () => undefined);
}

/** Only asked for where there is one. */
function given(head: SignedHead | undefined): SignedHead {
  if (!head) throw new Error("no such head");
  return head;
}

describe.runIf(withAccount)("an account", () => {
  let servers: Servers;
  let proof: Proof;
  let address: string;

  beforeAll(async () => {
    servers = await serversOf(given(withAccount));
    [proof] = proofsOf(given(withAccount)) as [Proof];
    address = proof.address.toLowerCase();
  }, DECODING);

  test("is printed with what it rests on", async () => {
    const slots = proof.storageProof.flatMap(({ key }) => ["--slot", key]);
    const { status, stdout, stderr } = await prooflight([
      ...["eth", "balance", address, ...slots],
      ...optionsOf(servers),
    ]);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const { network, number } = servers.served;
    expect(stdout).toMatch(
      new RegExp(`^✔ verified {2}the account after block ${number} {2}\\d{4}-`),
    );
    expect(stdout).toContain(`${BigInt(proof.balance)} wei`);
    for (const { key, value } of proof.storageProof) {
      expect(stdout).toMatch(new RegExp(`slot 0x0*${key.replace(/^0x0*/, "")} +${value}`));
    }
    expect(stdout).toMatch(/rests on {2}Merkle proofs against the block's state root/);
    expect(stdout).toMatch(
      new RegExp(`head .*${network} block ${number} .* days? old\n.*signed by \\d+ of 512`),
    );
    expect(stdout).toContain("A checkpoint of up to 100000 days is allowed.");
  });

  test("is printed as JSON", async () => {
    const args = ["eth", "balance", address, "--json", "--at", String(servers.served.number)];
    const { status, stdout } = await prooflight([...args, ...optionsOf(servers)]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verified: true,
      network: servers.served.network,
      head: { participation: { of: 512 }, block: { number: String(servers.served.number) } },
      account: { address, exists: true, balance: String(BigInt(proof.balance)) },
    });
  });

  test("is asked of the next server if one lies, which is named", async () => {
    const lying = await liar(servers.served, (answer, asked) =>
      methodOf(asked) === "eth_getProof" ? { ...(answer as object), balance: "0x1" } : answer,
    );
    const args = ["eth", "balance", address, "--json"];
    const both = await prooflight([...args, ...optionsOf(servers, [lying, servers.url])]);
    expect(both.status).toBe(0);
    expect(both.stderr).toContain(`${new URL(lying).host}: mismatch / account_mismatch`);
    expect(JSON.parse(both.stdout)).toMatchObject({
      account: { balance: String(BigInt(proof.balance)) },
    });
    const alone = await prooflight(["eth", "balance", address, ...optionsOf(servers, [lying])]);
    expect(alone).toMatchObject({ status: 1, stdout: "" });
  });

  test("is not shown if the beacon node lies", async () => {
    const lying = await liar(servers.served, (answer) => {
      if (!(answer instanceof Uint8Array)) return answer;
      const changed = Uint8Array.from(answer);
      changed[200] = (changed[200] ?? 0) ^ 1;
      return changed;
    });
    const options = optionsOf(servers, [servers.url], [lying]);
    const { status, stdout, stderr } = await prooflight(["eth", "balance", address, ...options]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(new URL(lying).host);
  });

  test("continues from the state of the last time, without a checkpoint", async () => {
    const file = join(folder, "state");
    const first = await prooflight([
      ...["eth", "balance", address, "--state", file],
      ...optionsOf(servers),
    ]);
    expect(first.status).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [state, asked] = [readFileSync(file), servers.asked.length];
    const options = optionsOf(servers).filter((_, at) => at !== 2 && at !== 3);
    const again = await prooflight(["eth", "balance", address, "--state", file, ...options]);
    expect(again.status).toBe(0);
    expect(again.stdout).toBe(first.stdout);
    expect(servers.asked.slice(asked).filter((path) => path.includes("bootstrap"))).toEqual([]);
    expect(readFileSync(file)).toEqual(state);
    const elsewhere = servers.served.network === "hoodi" ? "sepolia" : "hoodi";
    const other = await prooflight([
      ...["eth", "balance", address, "--state", file, "--network", elsewhere],
      ...options.slice(2),
    ]);
    expect(other).toMatchObject({ status: 1, stdout: "" });
  });

  test("is not asked about from a checkpoint that is too old", async () => {
    const options = optionsOf(servers).filter((option) => !OLD.includes(option));
    const { status, stdout, stderr } = await prooflight(["eth", "balance", address, ...options]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("untrusted / head_too_old");
  });

  test.each([
    ["an address", ["eth", "balance"], /takes one address/],
    ["a known command", ["eth", "mint"], /no such command: eth mint/],
    ["a command", ["eth"], /no such command: eth/],
    ["bytes as its address", ["eth", "balance", "0x12"], /address to be 20 bytes/],
    ["a block", ["eth", "block", "newest"], /BLOCK latest, finalized, a number or a hash/],
    ["a known network", ["eth", "block", "--network", "morden"], /mainnet, sepolia, hoodi/],
    ["an age in days", ["eth", "block", "--max-checkpoint-age", "old"], /in days/],
    ["only its own options", ["eth", "block", "--slot", "0x0"], /eth block takes no --slot/],
  ])("needs %s", async (_, args, problem) => {
    const { status, stdout, stderr } = await prooflight([...optionsOf(servers), ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(problem);
  });

  test.each(["--checkpoint", "--beacon", "--execution"])("needs %s", async (name) => {
    const options = optionsOf(servers);
    options.splice(options.indexOf(name), 2);
    const { status, stderr } = await prooflight(["eth", "block", ...options]);
    expect(status).toBe(2);
    expect(stderr).toContain(name);
  });
});

describe.runIf(withLogs)("a block, and what is in it", () => {
  let servers: Servers;
  let receipts: Receipt[];
  let expected: Log[];
  let number: bigint;

  beforeAll(async () => {
    servers = await serversOf(given(withLogs));
    receipts = receiptsOf(given(withLogs));
    expected = logsOf(given(withLogs));
    ({ number } = servers.served);
  }, DECODING);

  const ask = (...args: string[]) => prooflight(["eth", ...args, ...optionsOf(servers)]);

  test("its header", async () => {
    const { status, stdout } = await ask("block");
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^✔ verified {2}block ${number} {2}\\d{4}-`));
    const named = await ask("block", String(number), "--json");
    expect(JSON.parse(named.stdout)).toMatchObject({
      verified: true,
      block: { number: String(number), gasUsed: expect.stringMatching(/^[0-9]+$/) as string },
    });
    expect(await ask("block", String(number + 1n))).toMatchObject({ status: 3, stdout: "" });
  });

  test("a transaction and its receipt", async () => {
    // The price of blobs needs the block before, which may not be recorded.
    const priced = receipts.filter(({ type }) => type !== "0x3");
    const busiest = priced.reduce((one, two) => (two.logs.length > one.logs.length ? two : one));
    const { transactionHash: hash, logs, gasUsed } = busiest;
    const sent = await ask("tx", hash);
    expect(sent.status).toBe(0);
    expect(sent.stdout).toContain(hash);
    const { status, stdout } = await ask("receipt", hash);
    expect(status).toBe(0);
    expect(stdout).toMatch(/status +success/);
    expect(stdout).toMatch(new RegExp(`gas used +${BigInt(gasUsed)} at [0-9.]+ gwei`));
    expect(stdout).toContain(`  ${logs.length === 1 ? "1 log" : `${logs.length} logs`}\n`);
    const { receipt } = JSON.parse((await ask("receipt", hash, "--json")).stdout) as {
      receipt: { logs: unknown[] };
    };
    expect(receipt.logs.length).toBe(logs.length);
    const other = `0x${"11".repeat(32)}`;
    expect(await ask("receipt", other)).toMatchObject({ status: 3, stdout: "" });
    expect((await ask("receipt", "0x11")).status).toBe(2);
  });

  test("a forged log is refused", async () => {
    const [{ transactionHash: hash }] = receipts.filter(({ logs }) => logs.length > 0) as [
      (typeof receipts)[0],
    ];
    const forged = (receipt: Receipt) =>
      receipt.transactionHash === hash
        ? { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data: `${log.data}00` })) }
        : receipt;
    const lying = await liar(servers.served, (answer, asked) =>
      methodOf(asked) === "eth_getBlockReceipts" ? (answer as Receipt[]).map(forged) : answer,
    );
    const options = optionsOf(servers, [lying]);
    const { status, stdout, stderr } = await prooflight(["eth", "receipt", hash, ...options]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("mismatch / ");
  });

  test("its logs, with none missing", async () => {
    const { address = "", topics = [] } = expected.find(({ topics }) => topics.length > 2) ?? {};
    const [transfer = "", , to = ""] = topics;
    const range = ["--from", String(servers.served.number), "--to", "latest"];
    const args = ["logs", address, "--topic", "any", ...range];
    const all = expected.length === 1 ? "the only log" : `all ${expected.length} logs`;
    const { status, stdout } = await ask(...args);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^✔ verified {2}${all} of block ${number}\n`));
    for (const { transactionHash } of expected) expect(stdout).toContain(transactionHash);
    const { logs } = JSON.parse((await ask(...args, "--json")).stdout) as {
      logs: { address: string; topics: string[]; data: string; logIndex: number }[];
    };
    expect(logs.map(({ logIndex, data }) => [quantity(BigInt(logIndex)), data])).toEqual(
      expected.map(({ logIndex, data }) => [logIndex, data]),
    );
    const others = `0x${"22".repeat(32)},${to}`;
    const some = [address, "--topic", transfer, "--topic", "any", "--topic", others, "--json"];
    expect(JSON.parse((await ask("logs", ...some)).stdout)).toMatchObject({
      logs: expected
        .filter(({ topics }) => topics[0] === transfer && topics[2] === to)
        .map(({ data }) => ({ data })),
    });
    const little = await ask(...args, "--max-bytes", "1000");
    expect(little).toMatchObject({ status: 3, stdout: "" });
    expect(little.stderr).toContain("logs_too_large");
  });

  test("its logs as the servers name them", async () => {
    const [{ address }] = expected as [Log];
    const args = ["logs", address, "--topic", "any", "--union"];
    const named = expected.length === 1 ? "one log" : `${expected.length} logs`;
    const { status, stdout } = await ask(...args);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^✔ verified {2}${named} of block ${number}\n`));
    expect(stdout).toContain("Logs may be missing unless the execution node is honest.");
    const { logs, complete } = JSON.parse((await ask(...args, "--json")).stdout) as {
      logs: unknown[];
      complete: boolean;
    };
    expect([logs.length, complete]).toEqual([expected.length, false]);
  });

  test("its progress counts headers, receipts and bytes, and clears its line", () => {
    const shown: string[] = [];
    const progress = new Progress((text) => shown.push(text));
    progress.end();
    expect(shown).toEqual([]);
    const read = { blocks: 20n, headers: 17, receipts: 0, bytes: 21_000 };
    progress.show({ ...read, needed: undefined });
    progress.show({ ...read, headers: 20, needed: 3, receipts: 1, bytes: 1_840_000 });
    progress.end();
    expect(shown.map((text) => text.replace("\r\u001b[K", ""))).toEqual([
      "17 of 20 headers, 0.0 MB",
      "20 of 20 headers, receipts of 1 of 3 blocks, 1.8 MB",
      "",
    ]);
  });

  test("no log of a contract that was not called", async () => {
    const { status, stdout } = await ask("logs", `0x${"11".repeat(20)}`, "--topic", "any");
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^✔ verified {2}no log of block ${number}\n`));
  });
});

/** The head of which a contract with its code is recorded: that of USDC, behind a proxy. */
const withCode = OWN ? signed.find(({ one }) => one.asked?.method === "eth_call") : undefined;

describe.runIf(withCode)("a call", () => {
  const CONTRACT = "0x43506849d7c04f9138d1a2050bbf3a0c054402dd";
  const PROXY = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
  const PERMIT = "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9";
  let servers: Servers;
  let number: bigint;

  beforeAll(async () => {
    servers = await serversOf(given(withCode));
    ({ number } = servers.served);
  }, DECODING);

  const ask = (...args: string[]) => prooflight(["eth", ...args, ...optionsOf(servers)]);

  test("is executed, and what it returns is decoded", async () => {
    const { status, stdout, stderr } = await ask("call", CONTRACT, "version()(string)");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(`^✔ verified {2}what the call returns after block ${number} {2}\\d{4}-`),
    );
    expect(stdout).toMatch(/\n {2}string {2}"2"\n/);
    expect(stdout).toMatch(/call data +0x54fd4d50 {2}4 bytes/);
    expect(stdout).toMatch(/gas used +21728\n/);
    expect(stdout).toMatch(
      /rests on {2}the call, executed here over proven state: 1 round of requests, \d+ bytes/,
    );
    expect(stdout).toContain(servers.served.hash);
  });

  test("without types of the result has bytes as its answer", async () => {
    const { status, stdout } = await ask("call", CONTRACT, "PERMIT_TYPEHASH()");
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`data {2}${PERMIT} {2}32 bytes`));
    const raw = await ask("call", CONTRACT, "--data", "0x30adf81f", "--at", String(number));
    expect(raw.stdout).toContain(PERMIT);
    expect(raw.stdout).not.toContain("function");
  });

  test("is printed as JSON", async () => {
    const signature = "PERMIT_TYPEHASH()(uint256 hash)";
    const options = ["--from", PROXY, "--gas", "0x186a0", "--json"];
    const { status, stdout } = await ask("call", CONTRACT, signature, ...options);
    expect(status).toBe(0);
    const { hash } = servers.served;
    expect(JSON.parse(stdout)).toMatchObject({
      verified: true,
      network: "mainnet",
      head: { block: { hash } },
      block: { number: String(number), hash },
      call: {
        ...{ to: CONTRACT, function: "PERMIT_TYPEHASH()", data: "0x30adf81f" },
        ...{ from: PROXY, gas: "100000", value: null },
      },
      data: PERMIT,
      values: [String(BigInt(PERMIT))],
      gasUsed: "21375",
      rounds: 1,
      bytes: expect.any(Number) as number,
      failure: null,
    });
  });

  test("that fails has an exit code of its own", async () => {
    const { status, stdout } = await ask("call", CONTRACT, "mint()(uint256)");
    expect(status).toBe(6);
    expect(stdout).toMatch(new RegExp(`^✔ verified {2}the call fails after block ${number} {2}`));
    expect(stdout).toMatch(/message {2}execution reverted\n {2}data +0x {2}0 bytes/);
    const poor = ["--from", CONTRACT, "--value", "1", "--json"];
    for (const command of ["call", "estimate"]) {
      const { status, stdout } = await ask(command, PROXY, ...poor);
      expect(status).toBe(6);
      expect(JSON.parse(stdout)).toMatchObject({
        verified: true,
        call: { to: PROXY, data: "0x", from: CONTRACT, value: "1" },
        failure: {
          code: -32000,
          message: expect.stringContaining("insufficient funds") as string,
          data: null,
        },
      });
    }
  });

  test("needs gas as a transaction", async () => {
    const { status, stdout } = await ask("estimate", CONTRACT, "version()(string)");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^✔ verified {2}the gas that the call needs after block ${number} {2}`),
    );
    expect(stdout).toMatch(/\n {2}gas {2}2[12]\d{3}\n/);
    const { gas } = JSON.parse((await ask("estimate", CONTRACT, "version()", "--json")).stdout) as {
      gas: string;
    };
    expect(stdout).toContain(`  gas  ${gas}\n`);
  });

  test("is simulated as a transaction", async () => {
    const { status, stdout } = await ask("simulate", CONTRACT, "version()");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^✔ verified {2}what the transaction would do after block ${number} {2}`),
    );
    expect(stdout).toMatch(/\n {2}status {4}success\n {2}gas used {2}2[12]\d{3}\n/);
    expect(stdout).toContain("It changes nothing.");
    const failing = await ask("simulate", CONTRACT, "mint()", "--json");
    expect(failing.status).toBe(6);
    expect(JSON.parse(failing.stdout)).toMatchObject({
      verified: true,
      result: { status: "reverted", data: "0x", message: "execution reverted", logs: [] },
      ...{ accounts: [], tokens: [], approvals: [], unasked: 0 },
    });
  });

  test("has the selector of its function, and its arguments", async () => {
    const [asked] = given(withCode).one.asked?.params as [{ to: string; data: string }];
    const hints: unknown[] = [];
    const { url, close } = await listen((question) => {
      if ("method" in question && question.method === "eth_createAccessList") {
        hints.push(question.params[0]);
      }
      return honest(servers.served)(question);
    });
    closing.push(close);
    const owner = `0x${asked.data.slice(-40)}`;
    await prooflight([
      ...["eth", "call", asked.to, "balanceOf(address owner)(uint256)", owner],
      ...optionsOf(servers, [url]),
    ]);
    expect(hints).toMatchObject([{ to: asked.to.toLowerCase(), data: asked.data }]);
  });

  test("of a code that is not the contract's is refused", async () => {
    const lying = await liar(servers.served, (answer, asked) =>
      methodOf(asked) === "eth_getCode" ? `${String(answer)}00` : answer,
    );
    const options = optionsOf(servers, [lying]);
    const args = ["eth", "call", CONTRACT, "version()(string)", ...options];
    const { status, stdout, stderr } = await prooflight(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("mismatch / code_mismatch");
  });

  test("that returns something else than the signature says is refused", async () => {
    const { status, stdout, stderr } = await ask("call", CONTRACT, "version()(uint256)");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("return types that fit what the contract returned");
  });
});
