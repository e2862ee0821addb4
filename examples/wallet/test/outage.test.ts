// The page when something that it needs is not there.

import { rmSync } from "node:fs";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { accounts, state, verdict, verifiedAt } from "./page.js";
import { start, type World } from "./world.js";

let world: World;

beforeAll(async () => {
  world = await start();
});

afterAll(() => world.stop());

async function visit() {
  const { page } = await world.visit();
  onTestFinished(() => page.context().close());
  return page;
}

test("a node that is killed is missed, and found again when it is back", async () => {
  const page = await visit();
  await verifiedAt(page, 1n);
  await world.node.stop();
  await state(page, "problem");
  const { title, facts } = await verdict(page);
  expect(title).toBe("No answer");
  expect(facts.Code).toBe("unavailable");
  expect(await accounts(page)).toMatchObject({ alice: ["1,250.00", "as of block 1"] });
  await page.locator("#pill", { hasText: "No answer; verified until block 1" }).waitFor();

  await world.node.start();
  await verifiedAt(page, await world.node.submit({ alice: "2.00" }));
  expect(await accounts(page)).toMatchObject({ alice: ["2.00", "verified at block 2"] });
});

test("a page that comes before the node waits for it", async () => {
  await world.node.stop();
  const page = await visit();
  await state(page, "problem");
  expect(await page.locator("#pill").textContent()).toContain("Nothing verified yet");
  expect(await accounts(page)).toMatchObject({ alice: ["…", "not verified yet"] });
  expect(await page.getByRole("button", { name: "Save as a file" }).isDisabled()).toBe(true);
  await world.node.start();
  await state(page, "verified");
});

test("without demo.json the page says how to start, and goes on by itself once it is there", async () => {
  rmSync(world.demoFile);
  const page = await visit();
  await page.getByRole("heading", { name: "There is nothing to show yet" }).waitFor();
  expect(await page.locator("#missing pre").textContent()).toBe("npm start");
  expect(await page.locator("#missing-text").textContent()).toContain("There is no demo.json");
  expect(await page.locator("#columns").isVisible()).toBe(false);
  world.writeDemo();
  await state(page, "verified");
  expect(await page.locator("#missing").isVisible()).toBe(false);
});

test("a demo.json that is none is explained", async () => {
  world.writeDemo({ checkpoint: { ...world.checkpoint, headerHash: "0x12" } });
  onTestFinished(() => {
    world.writeDemo();
  });
  const page = await visit();
  await page.locator("#missing-text", { hasText: "checkpoint.headerHash" }).waitFor();
});

test("a checkpoint of another chain is not followed anywhere", async () => {
  const headerHash = `0x${"11".repeat(32)}`;
  world.writeDemo({ checkpoint: { ...world.checkpoint, headerHash } });
  onTestFinished(() => {
    world.writeDemo();
  });
  const page = await visit();
  await state(page, "refused");
  expect((await verdict(page)).facts).toMatchObject({ Code: "untrusted" });
  expect(await accounts(page)).toMatchObject({ alice: ["…", "not verified yet"] });
});

test("without the liar the balances are verified all the same", async () => {
  const servers = { node: world.node.url, proxy: "http://127.0.0.1:9" };
  world.writeDemo({ servers });
  onTestFinished(() => {
    world.writeDemo();
  });
  const page = await visit();
  await state(page, "verified");
  await page.getByRole("heading", { name: "The liar is not there" }).waitFor();
  expect(await page.locator("#switch").isDisabled()).toBe(true);
});
