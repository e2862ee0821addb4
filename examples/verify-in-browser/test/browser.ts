// The built page in a headless browser, as a user has it; everything that the browser complains
// about is collected.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { preview } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A page, and what the browser complained about. */
export interface Visit {
  page: Page;
  complaints: string[];
}

/** Serves `dist` and starts Chromium. */
export async function start() {
  if (!existsSync(`${root}dist/index.html`))
    throw new Error("run `npm run build` before the tests");
  const server = await preview({ root, logLevel: "warn", preview: { host: "localhost", port: 0 } });
  const url = server.resolvedUrls?.local[0] ?? "";
  const browser = await chromium.launch({
    executablePath: process.env.PROOFLIGHT_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

  /** Opens a page in a profile of its own. */
  async function visit(options: BrowserContextOptions = {}, path = ""): Promise<Visit> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(url)) complaints.push(`request to ${request.url()}`);
    });
    await page.exposeFunction("complain", (complaint: string) => complaints.push(complaint));
    await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
      window.complain("policy: " + event.violatedDirective + " " + event.blockedURI));`);
    await page.goto(url + path);
    return { page, complaints };
  }

  async function stop(): Promise<void> {
    await browser.close();
    await server.close();
  }

  return { url, visit, stop };
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

/** Waits for a verdict, which starts with `title`; gives its sentence and its facts. */
export async function verdict(page: Page, title: "Verified" | "Refused" | "Cannot be checked") {
  await page.getByRole("heading", { name: new RegExp(`^${title}`) }).waitFor();
  const labels = await page.locator("#facts dt").allTextContents();
  const contents = await page.locator("#facts dd").allTextContents();
  return {
    text: await page.locator("#verdict-text").textContent(),
    facts: Object.fromEntries(labels.map((label, i) => [label, contents[i]])),
  };
}

/** What the page says was checked: for each label what it is. */
export async function details(page: Page): Promise<Record<string, string | undefined>> {
  const labels = await page.locator("#details dt").allTextContents();
  const contents = await page.locator("#details dd").allTextContents();
  return Object.fromEntries(labels.map((label, i) => [label, contents[i]]));
}

/** Picks a block by its height, with separators. */
export const pick = (page: Page, height: string) =>
  page.getByRole("button", { name: height }).click();

/** Presses a button by its whole name. */
export const press = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).click();
