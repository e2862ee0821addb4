// The built page, and what somebody does with it.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { BrowserContextOptions, Page } from "playwright-core";
import { preview } from "vite";

import { facts, openPage, startChromium } from "../../page/test/browser.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Serves `dist` and starts Chromium. */
export async function start() {
  if (!existsSync(`${root}dist/index.html`))
    throw new Error("run `npm run build` before the tests");
  const server = await preview({ root, logLevel: "warn", preview: { host: "localhost", port: 0 } });
  const url = server.resolvedUrls?.local[0] ?? "";
  const browser = await startChromium();

  /** Opens a page in a profile of its own. */
  const visit = (options: BrowserContextOptions = {}, path = "") =>
    openPage(browser, url + path, options, { requests: [url] });

  async function stop(): Promise<void> {
    await browser.close();
    await server.close();
  }

  return { url, visit, stop };
}

/** Waits for a verdict, which starts with `title`; gives its sentence and its facts. */
export async function verdict(page: Page, title: "Verified" | "Refused" | "Cannot be checked") {
  await page.getByRole("heading", { name: new RegExp(`^${title}`) }).waitFor();
  return {
    text: await page.locator("#verdict-text").textContent(),
    facts: await facts(page, "#facts"),
  };
}

/** What the page says was checked: for each label what it is. */
export const details = (page: Page) => facts(page, "#details");

/** Picks a block by its height, with separators. */
export const pick = (page: Page, height: string) =>
  page.getByRole("button", { name: height }).click();

/** Presses a button by its whole name. */
export const press = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).click();
