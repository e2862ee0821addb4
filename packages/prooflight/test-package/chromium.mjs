// Opens pages in the system's Chromium.

/* global document -- in the pages */

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";

import { chromium } from "playwright-core";

const OPTIONS = {
  executablePath: process.env.PROOFLIGHT_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ],
};

/** Calls `body` with a function that opens a page and waits until the page's title is its outcome. */
export async function withChromium(body) {
  await closing(await chromium.launch(OPTIONS), (browser) => body((url) => outcomes(browser, url)));
}

/** Does the same with the extension in the folder `path`; the function takes the name of its page. */
export async function withExtension(path, body) {
  const folder = realpathSync(path);
  const args = [
    ...OPTIONS.args,
    `--disable-extensions-except=${folder}`,
    `--load-extension=${folder}`,
  ];
  const context = await chromium.launchPersistentContext("", { ...OPTIONS, args });
  const origin = `chrome-extension://${extensionId(folder)}`;
  return closing(context, () => body((page) => outcomes(context, `${origin}/${page}`)));
}

/** The id that Chromium assigns to an extension without a key, derived from its folder. */
function extensionId(folder) {
  const digits = createHash("sha256").update(folder).digest("hex").slice(0, 32);
  return digits.replace(/./g, (digit) => "abcdefghijklmnop"[parseInt(digit, 16)]);
}

async function closing(closable, body) {
  try {
    return await body(closable);
  } finally {
    await closable.close();
  }
}

/** The outcome in the title of the page at `url`, which is JSON. */
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
