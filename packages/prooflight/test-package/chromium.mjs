// Opening pages in the system's Chromium.

/* global document -- in the pages */

import { chromium } from "playwright-core";

/** Gives `body` a function that opens a page and waits until its title is its outcome. */
export async function withChromium(body) {
  const browser = await chromium.launch({
    executablePath: process.env.PROOFLIGHT_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
  try {
    await body((url) => outcomes(browser, url));
  } finally {
    await browser.close();
  }
}

/** What the page at `url` says in its title, as JSON. */
async function outcomes(browser, url) {
  const page = await browser.newPage();
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.stack ?? String(error)));
  try {
    await page.goto(url);
    await page.waitForFunction(() => document.title.startsWith("{"));
    return JSON.parse(await page.title());
  } catch (error) {
    throw new Error(`${url} has no outcome: ${said.join("\n")}`, { cause: error });
  } finally {
    await page.close();
  }
}
