// Every lie that the liar can tell, one after the other, with one page.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import type { Lie } from "../src/liar.js";
import { exceptOfNetwork, state, verifiedAt } from "./page.js";
import { BALANCES, start, type World } from "./world.js";

let world: World;
let lies: Lie[];

beforeAll(async () => {
  world = await start();
  await world.makePast();
  lies = (await (await fetch(`${world.proxy.url}/lies`)).json()) as Lie[];
});

afterAll(() => world.stop());

test("told one after the other, every lie there is is refused", async () => {
  const height = await world.node.submit(BALANCES);
  const { page, complaints } = await world.visit();
  onTestFinished(async () => {
    await page.context().close();
    expect(exceptOfNetwork(complaints)).toEqual([]);
  });
  await verifiedAt(page, height);
  await page.getByLabel("in front of one of the two").check();
  await page.getByRole("button", { name: "Tell every lie once" }).click();
  await makeBlocksOnDemand(page);
  const notCaught = await page
    .locator('#lies label:not(:has([data-outcome="caught"])) input')
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  expect(notCaught).toEqual([]);
  expect(await page.locator("#tally").textContent()).toBe(`All ${lies.length} lies were refused.`);
  await page.locator("#switch[aria-checked=false]").waitFor();
  await state(page, "verified");
}, 440_000);

/** Makes a block whenever a lie waits for one, until every lie was told. */
async function makeBlocksOnDemand(page: Page): Promise<void> {
  // Some lies need a new block, some one with several operations, some one that is unlike others, and
  // some a past in which the account that is shown has changed more than once, but not in every block.
  for (let amount = 10; await isWaiting(page); amount++) {
    const alice = amount % 4 === 0 ? { alice: `${amount}.02` } : {};
    const others = { bob: `${amount}.00`, carol: `${amount}.01` };
    await isSeen(page, await world.node.submit({ ...alice, ...others }));
  }
}

/** Waits until a lie waits for a block; false once every lie was told. */
async function isWaiting(page: Page): Promise<boolean> {
  const wish = await page.waitForFunction(
    () => {
      const tally = document.querySelector("#tally")?.textContent ?? "";
      if (/^All|, 0 to go/.test(tally)) return "none";
      return document.querySelector("#lie-outcome[data-state=harmless]") && "a block";
    },
    undefined,
    { timeout: 0, polling: 50 },
  );
  return (await wish.jsonValue()) === "a block";
}

/** Waits until the page has a block, or has refused one. Not for long: a lie can hide it. */
async function isSeen(page: Page, height: bigint): Promise<void> {
  await page
    .waitForFunction(
      (least) => {
        const head = /block ([\d,]+)/.exec(document.querySelector("#pill")?.textContent ?? "");
        const waits = document.querySelector("#lie-outcome[data-state=harmless]") !== null;
        return !waits || Number(head?.[1]?.replaceAll(",", "")) >= least;
      },
      Number(height),
      { timeout: 400, polling: 50 },
    )
    .catch(() => undefined);
}
