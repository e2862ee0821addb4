import { readFileSync } from "node:fs";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { facts as factsOf, overflow, pageWithoutComplaints } from "../../page/test/browser.js";
import { press, start } from "./browser.js";
import { faint } from "./contrast.js";
import { listen, readAnswers } from "./servers.js";

let site: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  site = await start();
});

afterAll(() => site.stop());

/** Opens the page; at the test's end nothing may have been complained about. */
const visit = async (options: Parameters<typeof site.visit>[0] = {}) =>
  pageWithoutComplaints(await site.visit(options, "ethereum.html"));

/** Picks a receipt or a call, and waits for its verdict. */
async function pick(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
  await verdict(page, "Verified");
}

const verdict = (page: Page, title: "Verified" | "Refused" | "Not answered") =>
  page.getByRole("heading", { name: new RegExp(`^${title}`) }).waitFor();

/** The states of the steps, in order. */
const states = (page: Page) =>
  page
    .locator(".journey li[data-state]:not([hidden])")
    .evaluateAll((steps) => steps.map((step) => (step as HTMLElement).dataset.state));

/** What a step shows: for each label what it is. */
const facts = (page: Page, step: string) => factsOf(page, `#step-${step}`);

const PAYMENT = "A payment in USDT";

test("a recorded receipt is verified, step by step", async () => {
  const page = await visit();
  await pick(page, PAYMENT);
  expect(await page.locator("#verdict-title").textContent()).toMatch(/^Verified in [\d,.]+ ms$/);
  expect(await page.locator("#verdict-text").textContent()).toMatch(
    /^From one root of 32 bytes to the receipt, with \d+ kB of recorded answers\.$/,
  );
  expect(await states(page)).toEqual(["trusted", "verified", "verified", "verified"]);
  expect(await facts(page, "head")).toMatchObject({
    Slot: "11,069,311",
    "Signed by": "509 of 512 of the sync committee",
  });
  expect((await facts(page, "block")).Block).toMatch(/^21,854,576 {2}2025-02-1\d .* UTC$/);
  expect(await facts(page, "receipt")).toMatchObject({
    Status: "success",
    To: "0xdac17f958d2ee523a2206206994597c13d831ec7",
    "1 log": "387.193449 USDT transferred by 0xdac17f958d2ee523a2206206994597c13d831ec7",
  });
  for (const cost of await page.locator(".journey li:not([hidden]) .cost").allTextContents()) {
    expect(cost).toMatch(/^trusted$|^[\d,.]+ ms · \d requests?, [\d,.]+ kB$/);
  }
  expect(await page.locator("#origin").textContent()).toContain("MIT");
});

test.each([
  ["A swap for ether", "6 logs"],
  ["A plain payment", "0 logs"],
])("%s has %s", async (name, logs) => {
  const page = await visit();
  await pick(page, name);
  expect(Object.keys(await facts(page, "receipt"))).toContain(logs);
});

describe("a lie is refused", () => {
  test.each([
    ["Forge a log", "receipt", "root_mismatch"],
    ["Hide a log", "receipt", "root_mismatch"],
    ["Claim that it failed", "receipt", "root_mismatch"],
    ["Change the recipient", "receipt", "root_mismatch"],
    ["Invent a state", "block", "header_hash_mismatch"],
    ["Invent a signer", "head", "invalid_signature"],
    ["Replace a key", "head", "branch_mismatch"],
  ])("%s: at the step %s", async (name, step, reason) => {
    const page = await visit();
    await pick(page, PAYMENT);
    await press(page, name);
    await verdict(page, "Refused");
    expect((await facts(page, step)).Reason).toContain(` / ${reason}`);
    const at = ["checkpoint", "head", "block", "receipt"].indexOf(step);
    expect(await states(page)).toEqual(
      ["trusted", "verified", "verified", "verified"].map((state, index) =>
        index < at ? state : index === at ? "refused" : "idle",
      ),
    );
    expect(await page.locator("#change").textContent()).toMatch(/^The (beacon|execution) node /);
    await press(page, "Tell the truth");
    await verdict(page, "Verified");
  });

  test("none is missing here", async () => {
    const page = await visit();
    await pick(page, PAYMENT);
    expect(await page.locator("#lie button").count()).toBe(8);
  });
});

const BALANCE = "A balance of USDC";

/** The steps of a call after the checkpoint. */
const CALL = ["head", "block", "account", "code", "slots", "execution"];

/** Picks the recorded call, and tells a lie. */
async function lieAboutCall(lie: string): Promise<Page> {
  const page = await visit();
  await pick(page, BALANCE);
  await press(page, lie);
  return page;
}

describe("a contract call", () => {
  test("is executed here, over what is proven step by step", async () => {
    const page = await visit();
    await pick(page, BALANCE);
    expect(await page.locator("#verdict-text").textContent()).toMatch(
      /^From one root of 32 bytes to what the contract returns, with \d+ kB of recorded answers\.$/,
    );
    expect(await states(page)).toEqual(["trusted", ...CALL.map(() => "verified")]);
    expect((await facts(page, "block")).Block).toMatch(/^22,196,273 {2}2025-04-04 .* UTC$/);
    expect(Object.values(await facts(page, "code"))).toEqual([
      "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
      "0x43506849d7c04f9138d1a2050bbf3a0c054402dd",
    ]);
    expect(Object.values(await facts(page, "slots"))).toEqual([
      "0x807a96288a1a408dbc13de2b1d087d10356395d2",
      "0x43506849d7c04f9138d1a2050bbf3a0c054402dd  the account above",
      "0x11c04f6834033e  4,996,521,887,269,694",
    ]);
    expect(await facts(page, "execution")).toMatchObject({
      Returns: "4,996,521,887.269694 USDC",
      "Gas used": "31,271",
      After: "2 round trips for the state",
      "The server says": "the same",
    });
    const cost = await page.locator("#step-slots .cost").textContent();
    expect(cost).toMatch(/^[\d,.]+ ms · \d requests, [\d,.]+ kB in round trips 1 and 2$/);
  });

  test.each([
    ["Raise the balance", "slots", "mismatch / node_mismatch"],
    ["Redirect the proxy", "slots", "mismatch / node_mismatch"],
    ["Change the code", "code", "mismatch / code_mismatch"],
    ["Change the account", "account", "mismatch / node_mismatch"],
    ["Invent a state", "block", "mismatch / header_hash_mismatch"],
    ["Invent a signer", "head", "untrusted / invalid_signature"],
    ["Replace a key", "head", "mismatch / branch_mismatch"],
  ])("%s: is refused at the step %s", async (name, step, reason) => {
    const page = await lieAboutCall(name);
    await verdict(page, "Refused");
    expect((await facts(page, step)).Reason).toBe(reason);
    const at = CALL.indexOf(step);
    expect(await states(page)).toEqual([
      "trusted",
      ...CALL.map((_, index) => (index < at ? "verified" : index === at ? "refused" : "idle")),
    ]);
    await press(page, "Tell the truth");
    await verdict(page, "Verified");
  });

  test("another result of a server is refused, and the true one is shown", async () => {
    const page = await lieAboutCall("Claim another result");
    await verdict(page, "Refused");
    expect(await states(page)).toEqual([
      "trusted",
      ...CALL.slice(1).map(() => "verified"),
      "refused",
    ]);
    const { "Executed here": executed, "The server says": claimed } = await facts(
      page,
      "execution",
    );
    expect(executed).toMatch(/^4,996,521,887\.269694 USDC/);
    expect(claimed).toMatch(/^4,996,521,887,269\.694 USDC/);
  });

  test("a list that misleads costs round trips, and changes nothing", async () => {
    const page = await lieAboutCall("Mislead about reads");
    await verdict(page, "Verified");
    expect(await facts(page, "execution")).toMatchObject({
      Returns: "4,996,521,887.269694 USDC",
      After: "6 round trips for the state",
    });
  });

  test("each of its lies is tested", async () => {
    const page = await visit();
    await pick(page, BALANCE);
    expect(await page.locator("#lie button").count()).toBe(10);
  });
});

describe("live servers", () => {
  const about = JSON.parse(
    readFileSync(new URL("../public/ethereum/receipt/about.json", import.meta.url), "utf8"),
  ) as { checkpoint: string };

  /** Opens the page and asks two servers; the beacon node answers with this. */
  async function ask(checkpoint: string, body: Buffer | undefined) {
    const { page } = await site.visit({}, "ethereum.html");
    onTestFinished(() => page.context().close());
    const asked: string[] = [];
    await page.route("https://*.example/**", (route) => {
      asked.push(new URL(route.request().url()).pathname);
      const headers = { "access-control-allow-origin": "*" };
      if (!body) return route.abort();
      return route.fulfill({ body, headers, contentType: "application/octet-stream" });
    });
    await page.getByText("Or ask live servers").click();
    await page.getByLabel("Checkpoint").fill(checkpoint);
    await page.getByLabel("Beacon node").fill("https://beacon.example");
    await page.getByLabel("Execution node").fill("https://execution.example");
    await page.getByRole("textbox", { name: "Transaction" }).fill(`0x${"11".repeat(32)}`);
    await press(page, "Verify");
    return { page, asked };
  }

  test("are asked, and an old checkpoint is refused", async () => {
    const bootstrap = readFileSync(
      new URL("../public/ethereum/receipt/bootstrap.ssz", import.meta.url),
    );
    const { page, asked } = await ask(about.checkpoint, bootstrap);
    await verdict(page, "Refused");
    expect(asked).toEqual([`/eth/v1/beacon/light_client/bootstrap/${about.checkpoint}`]);
    expect((await facts(page, "head")).Reason).toBe("untrusted / head_too_old");
    expect(await page.locator("#lies").isVisible()).toBe(false);
  });

  test("that do not answer are no liars", async () => {
    const { page } = await ask(about.checkpoint, undefined);
    await verdict(page, "Not answered");
    expect((await facts(page, "head")).Reason).toBe("unavailable / unreachable");
  });

  describe("on this machine", () => {
    const answers = readAnswers();
    const receipt = answers.receipts.find(({ logs }) => logs.length > 0);
    if (!receipt) throw new Error("no recorded receipt has logs");

    /** Fills in the form at the time of the recording; the execution node may send other receipts. */
    async function follow(receipts = answers.receipts) {
      const [beacon, execution] = [await listen(answers), await listen({ ...answers, receipts })];
      const { page } = await site.visit({}, "ethereum.html");
      onTestFinished(async () => {
        await page.context().close();
        await Promise.all([beacon.stop(), execution.stop()]);
      });
      await page.clock.setFixedTime(answers.about.now);
      await page.getByText("Or ask live servers").click();
      await page.getByLabel("Checkpoint").fill(answers.about.checkpoint);
      await page.getByLabel("Beacon node").fill(beacon.url);
      await page.getByLabel("Execution node").fill(execution.url);
      await page.getByRole("textbox", { name: "Transaction" }).fill(receipt?.transactionHash ?? "");
      await press(page, "Verify");
      return { page, asked: { beacon: beacon.asked, execution: execution.asked } };
    }

    test("lead from the checkpoint to a receipt", async () => {
      const { page, asked } = await follow();
      await verdict(page, "Verified");
      expect(await states(page)).toEqual(["trusted", "verified", "verified", "verified"]);
      expect((await facts(page, "head")).Slot).toBe("11,069,311");
      expect((await facts(page, "receipt")).Status).toBe("success");
      const prefix = "/eth/v1/beacon/light_client";
      expect(new Set(asked.beacon)).toEqual(
        new Set([
          `${prefix}/bootstrap/${answers.about.checkpoint}`,
          ...["updates", "finality_update", "optimistic_update"].map((name) => `${prefix}/${name}`),
        ]),
      );
      expect(asked.execution).toContain("eth_getBlockReceipts");
    });

    test("that forge a log are refused", async () => {
      const [log, ...others] = receipt.logs;
      if (!log) throw new Error("no log");
      const forged = { ...receipt, logs: [{ ...log, data: `${log.data}00` as const }, ...others] };
      const { page } = await follow(
        answers.receipts.map((one) => (one === receipt ? forged : one)),
      );
      await verdict(page, "Refused");
      expect(await states(page)).toEqual(["trusted", "verified", "verified", "refused"]);
      expect((await facts(page, "receipt")).Reason).toBe("mismatch / root_mismatch");
    });
  });

  test("are not asked about half a root", async () => {
    const { page, asked } = await ask("0x11", undefined);
    await verdict(page, "Not answered");
    expect(asked).toEqual([]);
    expect((await facts(page, "head")).Expected).toContain("32 bytes");
  });
});

test("recorded answers that cannot be loaded are explained, and can be asked for again", async () => {
  const { page } = await site.visit({}, "ethereum.html");
  onTestFinished(() => page.context().close());
  await page.route("**/receipts.json", (route) => route.abort());
  await page.getByRole("button", { name: PAYMENT }).click();
  const problem = page.locator("#explanation");
  await problem.waitFor();
  expect(await problem.textContent()).toMatch(/could not be loaded/);
  await page.unroute("**/receipts.json");
  await pick(page, PAYMENT);
  expect(await problem.isVisible()).toBe(false);
});

describe("for everybody", () => {
  test.each([360, 320])("a screen of %i pixels needs no scrolling sideways", async (width) => {
    const page = await visit({ viewport: { width, height: 740 } });
    expect(await overflow(page)).toBe(0);
    await pick(page, PAYMENT);
    expect(await overflow(page)).toBe(0);
    await press(page, "Forge a log");
    await verdict(page, "Refused");
    expect(await overflow(page)).toBe(0);
    await pick(page, BALANCE);
    expect(await overflow(page)).toBe(0);
    await press(page, "Claim another result");
    await verdict(page, "Refused");
    expect(await overflow(page)).toBe(0);
    await page.getByText("Or ask live servers").click();
    expect(await overflow(page)).toBe(0);
  });

  test.each(["light", "dark"] as const)("text has enough contrast in the %s", async (scheme) => {
    const page = await visit({ colorScheme: scheme });
    await page.getByText("Or ask live servers").click();
    expect(await page.evaluate(faint)).toEqual([]);
    await pick(page, PAYMENT);
    expect(await page.evaluate(faint)).toEqual([]);
    await press(page, "Forge a log");
    await verdict(page, "Refused");
    expect(await page.evaluate(faint)).toEqual([]);
    await pick(page, BALANCE);
    expect(await page.evaluate(faint)).toEqual([]);
    await press(page, "Claim another result");
    await verdict(page, "Refused");
    expect(await page.evaluate(faint)).toEqual([]);
  });
});
