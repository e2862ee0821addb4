// The page with a liar in between.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import type { Lie } from "../src/liar.js";
import {
  accounts,
  chooseLie,
  exceptOfNetwork,
  flipSwitch,
  send,
  state,
  verdict,
  verifiedAt,
} from "./page.js";
import { BALANCES, start, type World } from "./world.js";

let world: World;
let lies: Lie[];

beforeAll(async () => {
  world = await start();
  await world.makePast();
  lies = (await (await fetch(`${world.proxy.url}/lies`)).json()) as Lie[];
});

afterAll(() => world.stop());

/** Opens the page. What ends the visit checks that nothing has gone wrong in it. */
async function open(): Promise<{ page: Page; end: () => Promise<void> }> {
  const { page, complaints } = await world.visit();
  const end = async () => {
    await page.context().close();
    expect(exceptOfNetwork(complaints)).toEqual([]);
  };
  return { page, end };
}

/** Opens the page until the test's end, and waits for balances. */
async function visit(): Promise<{ page: Page; height: bigint }> {
  const height = await world.node.submit(BALANCES);
  const { page, end } = await open();
  onTestFinished(end);
  await verifiedAt(page, height);
  return { page, height };
}

describe("a lie in front of every server is refused, and the last verified balances stay", () => {
  // One page for all: each lie begins and ends with verified balances.
  let page: Page;
  let end: () => Promise<void>;
  beforeAll(async () => {
    ({ page, end } = await open());
  });
  afterAll(() => end());

  test.each([
    ["changed-value", "mismatch", "root_mismatch"],
    ["truncated-proof", "malformed", "truncated"],
    ["changed-state-root", "untrusted", "too_few_signatures"],
    ["old-head", "untrusted", "head_behind"],
    ["changed-operation", "mismatch", "operations_mismatch"],
    ["null-result", "malformed", "invalid_result"],
    ["smt-changed-value", "mismatch", "root_mismatch"],
    ["lvmt-hidden-key", "mismatch", "owner_count"],
    ["lmpt-hidden-write", "mismatch", "node_missing"],
    ["hidden-newest-change", "mismatch", "root_mismatch"],
    ["left-out-key", "mismatch", "root_mismatch"],
    ["amb-left-out", "mismatch", "root_mismatch"],
    ["no-headers", "malformed", "invalid_result"],
    ["html", "unavailable", "invalid_reply"],
  ])("%s", async (name, code, reason) => {
    const height = await world.node.submit(BALANCES);
    await verifiedAt(page, height);
    await chooseLie(page, name);
    await flipSwitch(page);
    const unavailable = code === "unavailable";
    await state(page, unavailable ? "problem" : "refused");
    const { title, text, facts } = await verdict(page);
    expect(title).toBe(unavailable ? "No answer" : "Refused");
    expect(text).toContain(`The balances shown are the last verified ones, of block ${height}.`);
    expect(facts).toEqual({
      Code: code,
      Reason: reason,
      Expected: expect.stringMatching(/./) as string,
      Found: expect.stringMatching(/./) as string,
    });
    await page.locator("#lie-outcome[data-state=refused]").waitFor();
    expect(await page.locator("#lie-outcome").textContent()).toBe(
      `${unavailable ? "No usable answer" : "Refused"}: ${code}, ${reason}.`,
    );
    const lie = lies.find((lie) => lie.name === name);
    expect(await page.locator("#lie-text").textContent()).toBe(lie?.explanation);
    expect(await accounts(page)).toMatchObject({ alice: ["1,250.00", `as of block ${height}`] });
    expect(await page.locator("#balance small").textContent()).toBe(
      `as of block ${height}; nothing newer is verified`,
    );

    await flipSwitch(page);
    await state(page, "verified");
    expect(await accounts(page)).toMatchObject({
      alice: ["1,250.00", `verified at block ${height}`],
    });
  });
});

test("a changed value leads to another root, which is shown", async () => {
  const { page } = await visit();
  const { facts: before } = await verdict(page);
  await flipSwitch(page);
  await state(page, "refused");
  const { facts } = await verdict(page);
  expect(facts.Expected).toBe(before["State root"]);
  expect(facts.Found).toMatch(/^0x[0-9a-f]{66}$/);
  expect(facts.Found).not.toBe(facts.Expected);
});

test("what happens while a lie is told is shown once it ends", async () => {
  const { page, height } = await visit();
  await flipSwitch(page);
  await state(page, "refused");
  const next = await world.node.submit({ alice: "1.00" });
  await send(page, "bob", "carol", "1");
  await page.locator("#sent[data-state=failed]").waitFor();
  expect(await page.locator("#sent").textContent()).toMatch(/^Not sent\. /);
  expect(await accounts(page)).toMatchObject({ alice: ["1,250.00", `as of block ${height}`] });
  await flipSwitch(page);
  await verifiedAt(page, next);
  expect(await accounts(page)).toMatchObject({ alice: ["1.00", `verified at block ${next}`] });
});

test("with a liar in front of one server the other one answers, and the liar is named", async () => {
  const { page, height } = await visit();
  const node = world.node.url.slice("http://".length);
  await page.getByLabel("in front of one of the two").check();
  await flipSwitch(page);
  await page.locator("#lie-outcome[data-state=caught]").waitFor();
  const { title, facts } = await verdict(page);
  expect(title).toBe("Verified");
  // Of a server's URL only its host is shown: the path may have a key.
  const other = world.proxy.url.slice("http://".length);
  expect(facts["Answered by"]).toBe(other);
  expect(await page.locator("#caught").textContent()).toBe(
    `${node} was caught lying. The proof's tree does not have the trusted root. ` +
      `Code mismatch, reason root_mismatch. ${other} answered instead.`,
  );
  expect(await accounts(page)).toMatchObject({
    alice: ["1,250.00", `verified at block ${height}`],
  });

  // The liar follows to the server that is asked now.
  await chooseLie(page, "changed-state-root");
  await page.locator("#caught", { hasText: "too_few_signatures" }).waitFor();
  expect((await verdict(page)).facts["Answered by"]).toBe(node);

  await flipSwitch(page);
  await page.locator("#caught").waitFor({ state: "hidden" });
});

test("lies are found by words of their title, explanation, code or reason", async () => {
  const { page } = await visit();
  const shown = () =>
    page
      .locator("#lies label:visible input")
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  expect((await shown()).sort()).toEqual(lies.map(({ name }) => name).sort());
  await page.getByLabel("Search the lies").fill("UNTRUSTED sign");
  const found = await shown();
  expect(found).toContain("no-signatures");
  expect(found).not.toContain("changed-value");
  await page.getByLabel("Search the lies").fill("nothing like this");
  expect(await shown()).toEqual([]);
});
