// The page with an honest node.

import { readFile } from "node:fs/promises";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { writeAmount } from "../src/account.js";
import { drop, facts, overflow, pageWithoutComplaints } from "../../page/test/browser.js";
import {
  account,
  accounts,
  flipSwitch,
  lookUp,
  send,
  state,
  verdict,
  verifiedAt,
  violations,
} from "./page.js";
import { BALANCES, start, type World } from "./world.js";

let world: World;
let height: bigint;

beforeAll(async () => {
  world = await start();
});

beforeEach(async () => {
  height = await world.node.submit(BALANCES);
});

afterAll(() => world.stop());

/** Opens the page and waits for balances; at the test's end nothing may have been complained about. */
async function visit(...options: Parameters<World["visit"]>): Promise<Page> {
  const page = pageWithoutComplaints(await world.visit(...options));
  await verifiedAt(page, height);
  return page;
}

describe("balances", () => {
  test("of all accounts are verified at the newest block", async () => {
    const page = await visit();
    const said = `verified at block ${height}`;
    expect(await accounts(page)).toEqual({
      alice: ["1,250.00", said],
      bob: ["320.50", said],
      carol: ["0.05", said],
      dave: ["9,000,000.00", said],
    });
    const head = await world.node.call<{ hash: string; roots: { avl: string } }>(
      "prooflight_head",
      {},
    );
    expect(await verdict(page)).toEqual({
      title: "Verified",
      text: `All 4 balances of block ${height}, verified from the checkpoint of this page.`,
      facts: {
        Block: head.hash,
        "State root": head.roots.avl,
        Proof: expect.stringMatching(
          /^[\d,]+ bytes for 4 accounts by AVL\+ tree, checked in .* ms$/,
        ) as string,
        "Answered by": world.node.url.slice("http://".length),
      },
    });
    const pill = await page.locator("#pill").textContent();
    expect(pill?.trim()).toMatch(new RegExp(`^Verified block ${height}, \\d+ s ago$`));
  });

  test("of the chosen account show all that was verified, and what was not", async () => {
    const page = await visit();
    await account(page, "bob").click();
    await page.locator("#balance", { hasText: "bob" }).waitFor();
    await page
      .locator("#steps")
      .getByText(/^\d+ bytes$/)
      .waitFor(); // the proof of this account alone
    const head = await world.node.call<{ hash: string; roots: { avl: string } }>(
      "prooflight_head",
      {},
    );
    const { headerHash, config } = world.checkpoint;
    const steps = [];
    for (const index of [1, 2, 3, 4])
      steps.push(await facts(page, `#steps li:nth-child(${index})`));
    expect(steps).toEqual([
      {
        Chain: "wallet-test",
        Block: `0${headerHash}`,
        Signers: `1 of 1 authority must sign${config.authorities.join("")}`,
      },
      { Block: `${height}${head.hash}`, Made: expect.any(String) as string },
      { "State root": head.roots.avl },
      {
        Key: "account/bob0x6163636f756e742f626f62",
        Value: "320.500x0000000000007d32",
        Proof: expect.stringMatching(/^\d+ bytes$/) as string,
        "Checked in": expect.stringMatching(/ms$/) as string,
        "Sent by": `${world.node.url.slice("http://".length)}, which need not be trusted`,
      },
    ]);
    expect(await page.locator("#not li").count()).toBe(3);
  });

  test("change by themselves with each block", async () => {
    const page = await visit();
    const next = await world.node.submit({ alice: "1249.50", bob: "321.00" });
    await verifiedAt(page, next);
    const { alice, bob, carol } = await accounts(page);
    const said = `verified at block ${next}`;
    expect({ alice, bob, carol }).toEqual({
      alice: ["1,249.50", said],
      bob: ["321.00", said],
      carol: ["0.05", said],
    });
    expect(await account(page, "alice").locator(".change").textContent()).toBe("−0.50");
    expect(await account(page, "bob").locator(".change").textContent()).toBe("+0.50");
    expect(await account(page, "carol").locator(".change").textContent()).toBe("");
    const newest = page.locator("#blocks li").first();
    expect(await newest.locator("b").textContent()).toBe(`Block ${next}`);
    expect(await newest.locator("span").textContent()).toBe("alice 1,249.50, bob 321.00");
  });

  test("that are no amounts are shown as they are", async () => {
    const page = await visit();
    await verifiedAt(page, await world.node.submit({ carol: "<b>soon</b>", dave: "x".repeat(41) }));
    const { carol, dave } = await accounts(page);
    expect([carol?.[0], dave?.[0]]).toEqual(['"<b>soon</b>"', "41 bytes"]);
  });
});

describe("any other account", () => {
  test("that does not exist is verified to be absent, and appears when it is made", async () => {
    const page = await visit();
    await lookUp(page, "zoe");
    const row = account(page, "zoe");
    await row.getByText(`absence verified at block ${height}`).waitFor();
    expect(await row.locator(".amount").textContent()).toBe("none");
    expect(await row.getAttribute("aria-pressed")).toBe("true");
    expect(await page.locator("#balance").textContent()).toContain("no such account");
    expect(await page.locator("#steps").textContent()).toContain("so there is no zoe.");

    await verifiedAt(page, await world.node.submit({ zoe: "7.00" }));
    expect((await accounts(page)).zoe?.[0]).toBe("7.00");

    await page.getByRole("button", { name: "Remove zoe" }).click();
    expect(Object.keys(await accounts(page))).toEqual(Object.keys(BALANCES));
    expect(await account(page, "alice").getAttribute("aria-pressed")).toBe("true");
  });

  test("of a name that no key can hold is not asked for", async () => {
    const page = await visit();
    await lookUp(page, "ö".repeat(101));
    expect(await page.locator("#name:invalid").count()).toBe(1);
    expect(Object.keys(await accounts(page))).toEqual(Object.keys(BALANCES));
  });
});

describe("sending", () => {
  test("moves an amount, which is shown once it is verified", async () => {
    const page = await visit();
    await send(page, "alice", "bob", "10.5");
    const said = page.locator("#sent[data-state=verified]");
    await said.waitFor();
    expect(await said.textContent()).toBe(
      `Verified in block ${height + 1n}: alice has 1,239.50, bob has 331.00.`,
    );
    await verifiedAt(page, height + 1n);
    const { alice, bob } = await accounts(page);
    expect([alice?.[0], bob?.[0]]).toEqual(["1,239.50", "331.00"]);
  });

  test("makes an account that was absent", async () => {
    const page = await visit();
    await lookUp(page, "yann");
    await page.getByText("absence verified").waitFor();
    await send(page, "carol", "yann", "0.05");
    await page.locator("#sent[data-state=verified]").waitFor();
    await verifiedAt(page, height + 1n);
    const { carol, yann } = await accounts(page);
    expect([carol?.[0], yann?.[0]]).toEqual(["0.00", "0.05"]);
  });

  test.each([
    ["more than there is", "alice", "bob", "1250.01", "Not sent. alice has only 1,250.00."],
    ["to oneself", "alice", "alice", "1", "Not sent. From and to are the same account."],
    ["nothing", "alice", "bob", "0", "Not sent. The amount must be positive."],
  ])("%s is not done", async (_, from, to, amount, said) => {
    const page = await visit();
    await send(page, from, to, amount);
    await page.locator("#sent[data-state=failed]").waitFor();
    expect(await page.locator("#sent").textContent()).toBe(said);
    const head = await world.node.call<{ height: string }>("prooflight_head", {});
    expect(BigInt(head.height)).toBe(height);
  });

  test("takes nothing that is no amount", async () => {
    const page = await visit();
    await send(page, "alice", "bob", "ten");
    expect(await page.locator("#amount:invalid").count()).toBe(1);
    expect(await page.locator("#sent").textContent()).toBe("");
  });
});

describe("files", () => {
  const outcome = (page: Page, state: string) => page.locator(`#file-outcome[data-state=${state}]`);

  async function saved(page: Page): Promise<{ name: string; text: string }> {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  }

  async function open(page: Page, name: string, text: string): Promise<void> {
    const buffer = Buffer.from(text);
    await page.locator("#file").setInputFiles({ name, mimeType: "application/json", buffer });
  }

  test("that were saved are verified, also when the chain has gone on", async () => {
    const page = await visit();
    await account(page, "bob").click();
    await page
      .locator("#steps")
      .getByText(/^\d+ bytes$/)
      .waitFor();
    const { name, text } = await saved(page);
    expect(name).toBe(`bob-at-block-${height}.json`);

    await verifiedAt(page, await world.node.submit({ bob: "0.01" }));
    await open(page, name, text);
    await outcome(page, "verified").waitFor();
    expect(await page.locator("#file-outcome p").textContent()).toBe(
      `Verified. bob-at-block-${height}.json has the state after block ${height}:`,
    );
    expect(await facts(page, "#file-outcome")).toEqual({ bob: "320.50" });
  });

  test("that were changed are refused, each for its reason", async () => {
    const page = await visit();
    const { text } = await saved(page);
    const flip = (hex: string) => hex.slice(0, -1) + (hex.endsWith("0") ? "1" : "0");
    const changes: [Record<string, unknown>, string][] = [];
    const bundle = JSON.parse(text) as { head: string; proof: string; keys: string[] };
    const [value = "", more = ""] = [125_000n, 925_000n].map((cents) =>
      Buffer.from(writeAmount(cents)).toString("hex"),
    );
    changes.push([{ proof: bundle.proof.replace(value, more) }, "root_mismatch"]);
    changes.push([{ head: flip(bundle.head) }, "too_few_signatures"]);
    changes.push([
      { keys: [`0x${Buffer.from("account/bob").toString("hex")}`] },
      "key_not_in_leaf",
    ]);
    changes.push([{ scheme: undefined }, "invalid_argument"]);
    for (const [change, reason] of changes) {
      await open(page, "changed.json", JSON.stringify({ ...bundle, ...change }));
      await page.locator("#file-outcome code", { hasText: reason }).waitFor();
      expect(await page.locator("#file-outcome b").textContent()).toBe("changed.json is refused. ");
    }
  });

  test("that are dropped are verified, and what is no JSON is explained", async () => {
    const page = await visit();
    const { name, text } = await saved(page);
    await drop(page, name, text);
    await outcome(page, "verified").waitFor();
    await drop(page, "notes.txt", "hello");
    await outcome(page, "problem").waitFor();
    expect(await page.locator("#file-outcome").textContent()).toMatch(
      /^notes.txt cannot be verified. It is not JSON/,
    );
    await drop(page, "null.json", "null");
    await page.locator("#file-outcome code", { hasText: "invalid_argument" }).waitFor();
  });
});

describe("for everybody", () => {
  test("the keyboard is enough", async () => {
    const page = await visit();
    const focused = () => page.evaluate(() => document.activeElement?.id);
    const to = async (id: string) => {
      for (let presses = 0; (await focused()) !== id; presses++) {
        if (presses > 60) throw new Error(`${id} cannot be reached`);
        await page.keyboard.press("Tab");
      }
    };
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const outline = await page.locator(":focus").evaluate((e) => getComputedStyle(e).outlineStyle);
    expect(outline).toBe("solid");
    await page.keyboard.press("Enter");
    await page.locator("#balance", { hasText: "bob" }).waitFor();

    await to("name");
    await page.keyboard.type("xena");
    await page.keyboard.press("Enter");
    await account(page, "xena").getByText("absence verified").waitFor();

    await to("amount");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await page.locator("#sent[data-state=verified]").waitFor();

    await to("switch");
    await page.keyboard.press("Space");
    await state(page, "refused");
    await page.keyboard.press("Space");
    await state(page, "verified");
    await to("search");
    await page.keyboard.type("no proof");
    await page.keyboard.press("Tab"); // to the lie that is chosen, though it is not among those found
    await to("everywhere");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("one");
    await to("save");
    await to("file");
  });

  test("screen readers hear what changes, and only that", async () => {
    const page = await visit();
    const said = page.locator("#announcement");
    expect(await said.textContent()).toBe("All balances are verified.");
    await page.evaluate(() => {
      const announcement = document.getElementById("announcement");
      if (!announcement) return;
      const heard: string[] = [];
      Object.assign(window, { heard });
      new MutationObserver(() => heard.push(announcement.textContent)).observe(announcement, {
        childList: true,
      });
    });
    await verifiedAt(page, await world.node.submit({ alice: "1.00" }));
    await flipSwitch(page);
    await state(page, "refused");
    await flipSwitch(page);
    await state(page, "verified");
    expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual([
      "Refused. The proof's tree does not have the trusted root.",
      "All balances are verified.",
    ]);
  });

  test.each(["light", "dark"] as const)(
    "axe finds nothing wrong in the %s",
    async (colorScheme) => {
      const page = await visit({ colorScheme });
      await lookUp(page, "nobody");
      await page.getByText("absence verified").waitFor();
      await send(page, "alice", "bob", "1");
      await page.locator("#sent[data-state=verified]").waitFor();
      await drop(page, "notes.txt", "hello");
      expect(await violations(page)).toEqual([]);
      await flipSwitch(page);
      await state(page, "refused");
      await page.locator("#lie-outcome[data-state=refused]").waitFor();
      await drop(page, "null.json", "null");
      expect(await violations(page)).toEqual([]);
    },
  );

  test.each([1280, 390, 320])(
    "on a screen of %i pixels, a range of blocks is on one line",
    async (width) => {
      const page = await visit({ viewport: { width, height: 740 } });
      const bottomOf = (selector: string) =>
        page.locator(selector).evaluate((part) => part.getBoundingClientRect().bottom);
      const bottoms = [await bottomOf("#range-from"), await bottomOf("#range-to")];
      const show = await bottomOf("#range > button");
      for (const bottom of bottoms) expect(Math.abs(bottom - show)).toBeLessThan(3);
    },
  );

  test.each([360, 320])("a screen of %i pixels needs no scrolling sideways", async (width) => {
    const page = await visit({ viewport: { width, height: 740 } });
    expect(await overflow(page)).toBe(0);
    await lookUp(page, "a-very-long-name-without-a-space".repeat(6));
    await page.getByText("absence verified").waitFor();
    expect(await overflow(page)).toBe(0);
    await drop(page, `${"long".repeat(50)}.json`, "null");
    await page.locator("#file-outcome[data-state=refused]").waitFor();
    await flipSwitch(page);
    await state(page, "refused");
    expect(await overflow(page)).toBe(0);
    await page.locator("#one").check();
    await page.locator("#caught").waitFor();
    expect(await overflow(page)).toBe(0);
  });

  test("nothing moves when blocks come", async () => {
    const page = await visit();
    while (height < 6n) height = await world.node.submit({ carol: "2.00" }); // the list is full
    await verifiedAt(page, height);
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(window, { moved });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          sources: { node: Element | null }[];
        })[]) {
          moved.push(...entry.sources.map(({ node }) => node?.outerHTML ?? "something"));
        }
      }).observe({ type: "layout-shift" });
    });
    for (const balance of ["2.01", "10.00", "1.00"]) {
      await verifiedAt(page, await world.node.submit({ alice: balance, bob: balance }));
    }
    expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([]);
  });
});
