// What somebody does with the page, and sees on it.

import axe from "axe-core";
import type { Page } from "playwright-core";

import { facts } from "../../page/test/browser.js";

/** Waits until the page says so about all balances. */
export const state = (page: Page, state: "verified" | "refused" | "problem") =>
  page.locator(`#verdict[data-state=${state}]`).waitFor();

/** Waits until a block, or a later one, is verified. */
export async function verifiedAt(page: Page, height: bigint): Promise<void> {
  await page.waitForFunction((least) => {
    const verified = document.querySelector("#verdict[data-state=verified]") !== null;
    const text = document.querySelector("#blocks b")?.textContent ?? "";
    return verified && Number(text.replace(/\D/g, "")) >= least;
  }, Number(height));
}

/** The verdict: title, sentence, and facts by label. */
export async function verdict(page: Page) {
  return {
    title: await page.locator("#verdict-title").textContent(),
    text: await page.locator("#verdict-text").textContent(),
    facts: await facts(page, "#facts"),
  };
}

/** The list of accounts: for each name its amount and what is said about it. */
export async function accounts(page: Page): Promise<Record<string, [string, string]>> {
  const rows = page.locator("#accounts li");
  const cells = (part: string) => rows.locator(part).allTextContents();
  const [names, amounts, states] = [
    await cells(".name"),
    await cells(".amount"),
    await cells(".state"),
  ];
  return Object.fromEntries(names.map((name, i) => [name, [amounts[i] ?? "", states[i] ?? ""]]));
}

/** The row of an account. */
export const account = (page: Page, name: string) =>
  page.locator("#accounts button[aria-pressed]", { has: page.getByText(name, { exact: true }) });

/** Chooses a lie by the name that it has in the proxy. */
export const chooseLie = (page: Page, name: string) =>
  page.locator(`#lies input[value="${name}"]`).check();

/** Puts the liar in between, or takes him away. */
export const flipSwitch = (page: Page) => page.locator("#switch").click();

/** Looks an account up. */
export async function lookUp(page: Page, name: string): Promise<void> {
  await page.getByLabel("Any other account").fill(name);
  await page.getByRole("button", { name: "Look up" }).click();
}

/** Sends an amount. */
export async function send(page: Page, from: string, to: string, amount: string): Promise<void> {
  await page.getByLabel("From", { exact: true }).selectOption(from);
  await page.getByLabel("To", { exact: true }).selectOption(to);
  await page.getByLabel("Amount", { exact: true }).fill(amount);
  await page.getByRole("button", { name: "Send" }).click();
}

/** What the browser complained about, except for replies: some lies are such that it complains itself. */
export const exceptOfNetwork = (complaints: readonly string[]): string[] =>
  complaints.filter((text) => !/^Failed to load resource|Access to fetch at/.test(text));

/** What axe finds wrong with the page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // In the middle of a transition colours are neither the old nor the new ones.
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const { violations } = await checker.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
