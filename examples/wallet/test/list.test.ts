// The list of all accounts: complete, in parts, and with a liar that leaves one out.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { overflow, pageWithoutComplaints } from "../../page/test/browser.js";
import { account, chooseLie, flipSwitch, state, verdict, verifiedAt, violations } from "./page.js";
import { BALANCES, remove, start, type World } from "./world.js";

/** The sum of the balances. */
const TOTAL = "9,001,570.55";

let world: World;
let height: bigint;

beforeAll(async () => {
  world = await start();
});

afterAll(() => world.stop());

async function visit(...options: Parameters<World["visit"]>): Promise<Page> {
  const page = pageWithoutComplaints(await world.visit(...options));
  await verifiedAt(page, height);
  return page;
}

/** The names and amounts of the rows, in their order. */
const rows = (page: Page) =>
  page
    .locator("#list li")
    .evaluateAll((items) =>
      items.map((item) => ["span", "b"].map((part) => item.querySelector(part)?.textContent)),
    );

const outcome = (page: Page, text: string | RegExp) =>
  page.locator("#list-outcome", { hasText: text }).waitFor();

const leaveOneOut = (page: Page) => page.getByRole("switch", { name: "Leave one out" }).click();

describe("a short list", () => {
  const all = [
    ["alice", "1,250.00"],
    ["bob", "320.50"],
    ["carol", "0.05"],
    ["dave", "9,000,000.00"],
  ];

  beforeEach(async () => {
    height = await world.node.submit(BALANCES);
  });

  test("has all accounts of the newest block, and says so", async () => {
    const page = await visit();
    expect(await rows(page)).toEqual(all);
    expect(await page.locator("#list-outcome").textContent()).toMatch(
      new RegExp(
        `^Verified: these are all 4 accounts at block ${height}, and there is no other. ` +
          `Together they have ${TOTAL}. [\\d,]+ bytes of proofs in 1 page, checked in .* ms.$`,
      ),
    );
    const { roots } = await world.node.call<{ roots: { amb: string } }>("prooflight_head", {});
    expect(await page.locator("#list-rests code").textContent()).toBe(roots.amb);
    expect(await page.locator("#list-pager").isVisible()).toBe(false);
    expect(await page.locator("#list-whole").isVisible()).toBe(false);
  });

  test("has accounts that nobody looked up, until they are closed", async () => {
    const page = await visit();
    await world.node.submit({ "ben <b>": "7.00", carol: "none" });
    await outcome(page, "all 5 accounts");
    expect(await rows(page)).toEqual([
      all[0],
      ["ben <b>", "7.00"],
      all[1],
      ["carol", '"none"'],
      all[3],
    ]);
    await outcome(page, "Together they have 9,001,577.50, without 1 value that is no amount.");
    await world.node.make([remove("ben <b>")]);
    await outcome(page, "all 4 accounts");
  });

  test("leads to the proof of each account", async () => {
    const page = await visit();
    await page.locator("#list button", { hasText: "carol" }).click();
    await page.locator("#balance", { hasText: "carol" }).waitFor();
    expect(await account(page, "carol").getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator("#balance", { hasText: "dave" }).waitFor();
    await page.keyboard.press("Home");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^alice/);
    expect(await page.locator('#list button[tabindex="0"]').count()).toBe(1);
  });

  test("from which a server leaves one out is refused, and stays as it was verified", async () => {
    const page = await visit();
    await leaveOneOut(page);
    await page.locator("#list-outcome[data-state=refused]").waitFor();
    expect(await page.locator("#list-outcome").textContent()).toMatch(
      new RegExp(
        `^Refused: mismatch, root_mismatch\\. .* The list is the one verified at block ${height}\\.$`,
      ),
    );
    expect(await rows(page)).toEqual(all);
    expect((await verdict(page)).facts).toMatchObject({ Reason: "root_mismatch" });
    expect(await page.locator("#lie-title").textContent()).toBe("An account left out of the list");
    await leaveOneOut(page);
    await page.locator("#list-outcome[data-state=verified]").waitFor();
  });

  test("of another server is shown where one leaves an account out", async () => {
    const page = await visit();
    await page.getByLabel("in front of one of the two").check();
    await chooseLie(page, "amb-left-out");
    await flipSwitch(page);
    await page.locator("#caught", { hasText: "was caught lying" }).waitFor();
    await state(page, "verified");
    expect(await rows(page)).toEqual(all);
  });
});

describe("a long list", () => {
  const names = Array.from({ length: 150 }, (_, index) => `holder-${String(index + 100)}`);

  beforeAll(async () => {
    await world.node.submit(BALANCES);
    height = await world.node.submit(Object.fromEntries(names.map((name) => [name, "2.00"])));
  });

  test("comes in parts, each without a gap", async () => {
    const page = await visit();
    await outcome(page, `there are 154 accounts at block ${height}. These are 1 to 64;`);
    const parts = [await rows(page)];
    await page.getByRole("button", { name: "Next accounts" }).click();
    await outcome(page, "These are 65 to 128;");
    expect(await page.locator("#list-place").textContent()).toBe("65 to 128 of 154");
    parts.push(await rows(page));
    await page.getByRole("button", { name: "Next accounts" }).click();
    await outcome(page, "These are 129 to 154;");
    parts.push(await rows(page));
    expect(parts.flat().map(([name]) => name)).toEqual([...Object.keys(BALANCES), ...names]);
    expect(await page.getByRole("button", { name: "Next accounts" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Previous accounts" }).click();
    await outcome(page, "These are 65 to 128;");
    expect(await rows(page)).toEqual(parts[1]);
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "is verified as a whole, and refused if one is left out: %s",
    async (scheme, width) => {
      const page = await visit({ colorScheme: scheme, viewport: { width, height: 740 } });
      await page.getByRole("button", { name: "Verify the whole list" }).click();
      await page.locator("#list-walked[data-state=verified]").waitFor();
      expect(await page.locator("#list-walked").textContent()).toMatch(
        new RegExp(
          `^Complete: all 154 accounts of block ${height}, and there is no other\\. Together they have 9,001,870\\.55\\. [\\d,]+ bytes`,
        ),
      );
      expect(await overflow(page)).toBe(0);
      expect(await violations(page)).toEqual([]);
      await leaveOneOut(page);
      await state(page, "refused");
      await page.getByRole("button", { name: "Verify the whole list" }).click();
      await page.locator("#list-walked[data-state=refused]").waitFor();
      expect(await page.locator("#list-walked").textContent()).toMatch(
        /^Refused: mismatch, root_mismatch\. The first 0 accounts are verified/,
      );
      expect(await overflow(page)).toBe(0);
      expect(await violations(page)).toEqual([]);
    },
  );
});

test("of a chain without amb there is no list, and the page says why", async () => {
  const other = await start("avl,smt");
  onTestFinished(() => other.stop());
  const { page } = await other.visit();
  await verifiedAt(page, 1n);
  expect(await violations(page)).toEqual([]);
  const text = await page.locator("#everyone").textContent();
  expect(text).toContain("No complete list can be shown");
  expect(text).toContain("everything that changed since the first block");
  expect(await page.locator("#list-parts").isVisible()).toBe(false);
  expect(await page.getByRole("switch", { name: "Leave one out" }).isVisible()).toBe(false);
});
