/** Built pages in a headless browser, as a user has them. */

import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

/** Starts Chromium without its own requests, and with these further switches. */
export const startChromium = (...switches: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.PROOFLIGHT_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ...switches,
    ],
  });

/** A page, and what the browser complained about. */
export interface Visit {
  page: Page;
  complaints: string[];
}

/** What is no complaint. */
interface Exceptions {
  /** The beginnings of the URLs that the page may request. */
  requests: readonly string[];
  /** Messages that the browser may write to the console. */
  messages?: RegExp;
}

/** Opens a page in a profile of its own, and collects everything that the browser complains about. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  { requests, messages }: Exceptions,
): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (messages?.test(message.text())) return;
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (requests.some((start) => request.url().startsWith(start))) return;
    complaints.push(`request to ${request.url()}`);
  });
  await page.exposeFunction("complain", (complaint: string) => complaints.push(complaint));
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
    window.complain("policy: " + event.violatedDirective + " " + event.blockedURI));`);
  await page.goto(url);
  return { page, complaints };
}

/** The page of a visit, which is closed at the test's end; a complaint fails the test. */
export function pageWithoutComplaints({ page, complaints }: Visit): Page {
  onTestFinished(async () => {
    await page.context().close();
    expect(complaints).toEqual([]);
  });
  return page;
}

/** Drops a file on the page, as if from a file manager. */
export async function drop(page: Page, name: string, content: string | { bytes: number }) {
  const transfer = await page.evaluateHandle(
    ({ name, content }) => {
      const part = typeof content === "string" ? content : new Uint8Array(content.bytes);
      const transfer = new DataTransfer();
      transfer.items.add(new File([part], name));
      return transfer;
    },
    { name, content },
  );
  for (const type of ["dragover", "drop"]) {
    await page.dispatchEvent("body", type, { dataTransfer: transfer });
  }
}

/** By how many pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** A description list: for each label what it is. */
export async function facts(page: Page, selector: string): Promise<Record<string, string>> {
  const labels = await page.locator(`${selector} dt`).allTextContents();
  const contents = await page.locator(`${selector} dd`).allTextContents();
  return Object.fromEntries(labels.map((label, i) => [label, contents[i] ?? ""]));
}
