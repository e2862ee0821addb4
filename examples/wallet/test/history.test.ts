// The schemes to choose from, and the past of an account: chart, proofs, average, and who changed.

import { readFile } from "node:fs/promises";

import { verifyBundle, type AnswerBundle, type Checkpoint } from "prooflight";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { pageWithoutComplaints } from "../../page/test/browser.js";
import { account, accounts, flipSwitch, lookUp, state, verdict, verifiedAt } from "./page.js";
import { remove, start, type World } from "./world.js";

let world: World;
/** The block that made alice's first change of a test; there is one more at each of the next two. */
let first: bigint;

beforeAll(async () => {
  world = await start();
});

beforeEach(async () => {
  first = await world.node.submit({ alice: "10.00", bob: "1.00" });
  await world.node.submit({ alice: "12.50", carol: "2.00" });
  await world.node.submit({ alice: "11.00", bob: "3.00" });
});

afterAll(() => world.stop());

async function visit(): Promise<Page> {
  const page = pageWithoutComplaints(await world.visit());
  await verifiedAt(page, first + 2n);
  return page;
}

/** Shows the blocks from one on, up to another or the newest. */
async function showBlocks(page: Page, from: bigint, to?: bigint): Promise<void> {
  await page.getByLabel("from block").fill(String(from));
  await page
    .getByLabel("to", { exact: true })
    .and(page.locator("input"))
    .fill(to ? String(to) : "");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const last = to ?? first + 2n;
  await page.locator("#past-outcome", { hasText: `blocks ${from} to ${last}` }).waitFor();
}

const table = (page: Page) =>
  page
    .locator("#changes tr")
    .evaluateAll((rows) =>
      rows.map((row) => [0, 2, 3].map((cell) => row.children[cell]?.textContent)),
    );

const points = (page: Page) => page.locator("#points button");

describe("schemes", () => {
  const setIn = () => `set in block ${first + 2n}`;

  test("are those of the chain, each with its proof's size and time", async () => {
    const page = await visit();
    const rows = page.locator("#schemes label");
    expect(await rows.locator("b").first().textContent()).toBe("AVL+ tree");
    expect(
      await rows
        .locator("input")
        .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
    ).toEqual(["avl", "lvmt", "smt", "lmpt", "amb"]);
    for (const size of await rows.locator(".size").allTextContents()) {
      expect(size).toMatch(/^[\d,]+ bytes.* ms$/);
    }
  });

  test("with an insecure setup say so", async () => {
    const page = await visit();
    expect(await page.locator("#schemes .insecure").count()).toBe(1);
    const lvmt = page.locator("#schemes label", { has: page.locator('input[value="lvmt"]') });
    expect(await lvmt.textContent()).toContain("anybody can forge these proofs");
  });

  test.each([
    ["lmpt", /^0x[0-9a-f]{192}$/, "by Layered tries", "No newer layer", () => "written in the"],
    ["lvmt", /^0x[0-9a-f]{128}$/, "by LVMT", "no later version", setIn],
    ["smt", /^0x[0-9a-f]{64}$/, "by Historical tree", "the block that set it", setIn],
    ["amb", /^0x[0-9a-f]{64}$/, "by Ordered tree", "its newest version", setIn],
  ])("%s proves the balances once it is chosen", async (scheme, root, by, why, when) => {
    const page = await visit();
    await page.locator(`#schemes input[value="${scheme}"]`).check();
    await page.locator("#facts", { hasText: by }).waitFor();
    const { facts } = await verdict(page);
    expect(facts["State root"]).toMatch(root);
    expect((await accounts(page)).alice?.[0]).toBe("11.00");
    await page.locator("#steps", { hasText: why }).waitFor();
    await page.locator("#steps", { hasText: when() }).waitFor();
    await lookUp(page, "nobody");
    await account(page, "nobody").getByText("absence verified").waitFor();
    await page
      .locator("#steps", { hasText: "nobody could be are free" })
      .or(page.locator("#steps", { hasText: "there is no nobody" }))
      .waitFor();
  });

  test("whose setup is insecure are refused where the page does not expect that", async () => {
    world.writeDemo({ insecureSetup: false });
    onTestFinished(() => {
      world.writeDemo();
    });
    const { page } = await world.visit();
    onTestFinished(() => page.context().close());
    await state(page, "refused");
    expect((await verdict(page)).facts).toMatchObject({ Reason: "insecure_setup" });
  });
});

describe("the past", () => {
  test("has every change of the range, as points and as a table", async () => {
    const page = await visit();
    await showBlocks(page, first + 1n);
    expect(await table(page)).toEqual([
      [String(first + 2n), "11.00", "−1.50"],
      [String(first + 1n), "12.50", ""],
    ]);
    expect(await points(page).evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel))).toEqual([
      `Block ${first + 1n}: 12.50`,
      `Block ${first + 2n}: 11.00, −1.50`,
    ]);
    await account(page, "bob").click();
    await page.locator("#past-name", { hasText: "bob" }).waitFor();
    await page.locator("#past[data-known=true]").waitFor();
    expect(await table(page)).toEqual([
      [String(first + 2n), "3.00", "+2.00"],
      ["before", "1.00", ""],
    ]);
  });

  test("goes on with each block", async () => {
    const page = await visit();
    const count = await points(page).count();
    await verifiedAt(page, await world.node.submit({ alice: "1.00" }));
    await page.locator(`#points button[aria-label^="Block ${first + 3n}:"]`).waitFor();
    expect(await points(page).count()).toBe(Math.min(count + 1, 30));
  });

  test("opens each point to its block and a proof, which verifies without a server", async () => {
    const page = await visit();
    await page.locator(`#points button[aria-label^="Block ${first + 1n}:"]`).click();
    const panel = page.locator("#point[data-state=verified]");
    await panel.waitFor();
    const header = await world.node.call<{ hash: string; roots: { smt: string } }>(
      "prooflight_header",
      { at: `0x${(first + 1n).toString(16)}` },
    );
    const text = await panel.textContent();
    expect(text).toContain(`alice 12.50, set in block ${first + 1n}`);
    expect(text).toContain(header.hash);
    expect(text).toContain(header.roots.smt);
    const download = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Save the proof" }).click();
    const file = await readFile(await (await download).path(), "utf8");
    const checkpoint = world.checkpoint as unknown as Checkpoint;
    const { header: block, results } = await verifyBundle(JSON.parse(file) as AnswerBundle, {
      checkpoint,
    });
    expect(block.height).toBe(first + 1n);
    expect(results).toMatchObject([{ kind: "present", since: first + 1n }]);
  });

  test("is reached with the keyboard alone, point by point", async () => {
    const page = await visit();
    await points(page).last().focus();
    await page.keyboard.press("ArrowLeft");
    const label = () => page.evaluate(() => document.activeElement?.ariaLabel);
    expect(await label()).toBe(`Block ${first + 1n}: 12.50, +2.50`);
    await page.keyboard.press("Enter");
    await page.locator("#point h3", { hasText: `Block ${first + 1n}` }).waitFor();
    await page.keyboard.press("End");
    expect(await label()).toBe(`Block ${first + 2n}: 11.00, −1.50`);
    expect(await page.locator('#points button[tabindex="0"]').count()).toBe(1);
  });

  test("has an exact average, in which a time without an account does not count", async () => {
    const page = await visit();
    const gone = await world.node.make([remove("alice")]);
    const back = await world.node.submit({ alice: "20.00" });
    const end = await world.node.submit({ bob: "9.00" });
    await verifiedAt(page, end);
    first = end - 2n;
    await showBlocks(page, gone - 1n, end);
    const times = [];
    for (const height of [gone - 1n, gone, back, end]) {
      const { timestampMs } = await world.node.call<{ timestampMs: string }>("prooflight_header", {
        at: `0x${height.toString(16)}`,
      });
      times.push(BigInt(timestampMs));
    }
    const [a = 0n, b = 0n, c = 0n, d = 0n] = times;
    const [sum, covered] = [1100n * (b - a) + 2000n * (d - c), b - a + (d - c)];
    const text = (await page.locator("#average").textContent()) ?? "";
    const [, over = "", under = "1"] = /exactly ([\d,]+)(?: ⁄ ([\d,]+))? cents/.exec(text) ?? [];
    const [shownOver, shownUnder] = [over, under].map((digits) =>
      BigInt(digits.replaceAll(",", "")),
    );
    expect((shownOver ?? 0n) * covered).toBe((shownUnder ?? 0n) * sum);
    expect(text).toContain("no account");
    expect(await table(page)).toContainEqual([String(gone), "deleted", ""]);
    expect(await points(page).first().getAttribute("aria-label")).toBe(`Block ${gone - 1n}: 11.00`);
  });

  test("of a value that is no amount has no average", async () => {
    const page = await visit();
    await showBlocks(page, first);
    await verifiedAt(page, await world.node.submit({ alice: "soon" }));
    await page.getByText("None: a value in these blocks is no amount.").waitFor();
    expect((await table(page))[0]).toEqual([String(first + 3n), "no amount", ""]);
  });

  test("says which accounts changed", async () => {
    const page = await visit();
    await showBlocks(page, first + 1n, first + 2n);
    const changed = await page.locator("#changed li").allTextContents();
    expect(changed.sort()).toEqual([
      `alice11.00block ${first + 2n}`,
      `bob3.00block ${first + 2n}`,
      `carol2.00block ${first + 1n}`,
    ]);
    expect(await page.locator("#changed").textContent()).toContain("3 accounts and no other");
  });

  test("from which a change is hidden is refused, and stays as it was verified", async () => {
    const page = await visit();
    await showBlocks(page, first);
    const before = await table(page);
    await page.getByRole("switch", { name: "Hide the newest change" }).click();
    await page.locator("#past-outcome[data-state=refused]").waitFor();
    expect(await page.locator("#past-outcome").textContent()).toMatch(
      /^Refused: mismatch, root_mismatch\..*The chart shows the state verified at block \d+\.$/,
    );
    expect(await table(page)).toEqual(before);
    expect(await page.locator("#lie-title").textContent()).toBe("The newest change is hidden");
    await page.getByRole("switch", { name: "Hide the newest change" }).click();
    await page.locator("#past-outcome[data-state=verified]").waitFor();
    await flipSwitch(page);
    await page.locator("#hide[aria-checked=true]").waitFor();
  });
});
