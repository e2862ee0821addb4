// Swaps on Ethereum: what the page shows before anybody signs.

import { readFileSync } from "node:fs";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { facts, overflow, pageWithoutComplaints } from "../../page/test/browser.js";
import { swapSample } from "../scripts/swap.js";
import { type Recorded, Simulator, warningsAbout } from "../src/swap.js";
import { verifiedAt, violations } from "./page.js";
import { start, type World } from "./world.js";

let world: World;

beforeAll(async () => {
  world = await start();
});

afterAll(() => world.stop());

const text = readFileSync(new URL("../public/swap.json", import.meta.url), "utf8");
const read = () => JSON.parse(text) as Recorded;

/** Opens the page, and chooses an offer. */
async function choose(name: string, ...options: Parameters<World["visit"]>): Promise<Page> {
  const page = pageWithoutComplaints(await world.visit(...options));
  await page.getByRole("button", { name, exact: true }).click();
  await page.locator("#swap-outcome .judgement").waitFor();
  return page;
}

const items = (page: Page, list: string) =>
  page.locator(`#swap-outcome .${list} li`).allTextContents();

const judgement = (page: Page) => page.locator("#swap-outcome .judgement").textContent();

test("nothing is found against an honest swap", async () => {
  const page = await choose("Meadow");
  expect(await judgement(page)).toBe("Nothing found against it");
  expect(await items(page, "warnings")).toEqual([]);
  expect(await items(page, "swap-changes")).toEqual([
    "you−100 SILVER",
    "you+5 GOLD",
    "Meadow+100 SILVER",
    "Meadow−5 GOLD",
  ]);
  expect(await items(page, "approvals")).toEqual(["nothing"]);
  expect(await items(page, "codes")).toEqual(["nothing"]);
  const shown = await facts(page, "#swap-outcome");
  expect(shown["Transaction 2"]).toMatch(/^success, [\d,]+ gas$/);
  expect(shown["Proven state"]).toMatch(/^[\d,]+ bytes in \d round trips$/);
});

test("an approval without limit stands out", async () => {
  const page = await choose("Bramble");
  expect(await judgement(page)).toBe("Do not sign");
  expect(await items(page, "warnings")).toEqual([
    "Bramble may take all your SILVER afterwards, without asking you.",
  ]);
  expect(await items(page, "approvals")).toEqual(["Bramble: all SILVER of your account"]);
  expect(await items(page, "swap-changes")).toContain("you+5 GOLD");
});

test("a swap that gives nothing back stands out", async () => {
  const page = await choose("Thistle");
  expect(await judgement(page)).toBe("Do not sign");
  expect(await items(page, "warnings")).toEqual(["You get no GOLD."]);
  expect(await items(page, "swap-changes")).toEqual(["you−100 SILVER", "Thistle+100 SILVER"]);
});

test("a swap that fails is shown with its approval, which stays", async () => {
  const page = await choose("Meadow, too much");
  expect(await judgement(page)).toBe("Do not sign");
  const [fails, stays] = await items(page, "warnings");
  expect(fails).toBe("Transaction 2 fails: execution reverted.");
  expect(stays).toBe("Meadow may take more SILVER afterwards, without asking you.");
  expect(await items(page, "swap-changes")).toEqual(["nothing"]);
});

test("what the site does not speak of is warned of", async () => {
  const recorded = read();
  const [offer] = recorded.offers;
  if (!offer) throw new Error("no offer");
  const simulation = await new Simulator(recorded).simulate(offer);
  expect(warningsAbout(recorded, offer, simulation)).toEqual([]);
  const { user } = recorded;
  const other = `0x${"77".repeat(20)}` as const;
  const lost = { token: other, owner: user, before: 5n, after: 4n };
  const poorer = {
    balance: { before: 5n, after: 4n },
    nonce: { before: 0n, after: 0n },
    slots: [],
  };
  const account = { address: user, ...poorer, code: undefined, delegate: undefined };
  const tokens = [...simulation.tokens, lost];
  const changed = { ...simulation, tokens, accounts: [account], unasked: 1 };
  expect(warningsAbout(recorded, offer, changed)).toEqual([
    `It takes ${other}, of which the site says nothing.`,
    "It takes ether, of which the site says nothing.",
    "Its logs name more than can be asked for: it may hide something.",
  ]);
});

describe("state that a server changes is refused", () => {
  const [offer] = read().offers;
  if (!offer) throw new Error("no offer");

  test("as it is, the offer is simulated", async () => {
    const { calls } = await new Simulator(read()).simulate(offer);
    expect(calls.map(({ status }) => status)).toEqual(["success", "success"]);
  });

  test("a code", async () => {
    const recorded = read();
    for (const address of Object.keys(recorded.codes) as (keyof typeof recorded.codes)[]) {
      recorded.codes[address] = `${recorded.codes[address] ?? "0x"}00`;
    }
    await expect(new Simulator(recorded).simulate(offer)).rejects.toMatchObject({
      reason: "code_mismatch",
    });
  });

  test("a balance", async () => {
    const recorded = JSON.parse(
      text.replaceAll((1000n * 10n ** 18n).toString(16), (2000n * 10n ** 18n).toString(16)),
    ) as Recorded;
    await expect(new Simulator(recorded).simulate(offer)).rejects.toMatchObject({
      code: "mismatch",
    });
  });
});

test("the recorded chain is what its script makes", async () => {
  expect(await swapSample()).toBe(text);
});

test.each([
  [1280, "light"],
  [390, "dark"],
] as const)("is for everybody at %i pixels in the %s", async (width, colorScheme) => {
  const page = await choose("Bramble", { viewport: { width, height: 900 }, colorScheme });
  await verifiedAt(page, 1n);
  await page.locator("#canvas[aria-label]").waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await violations(page)).toEqual([]);
});
