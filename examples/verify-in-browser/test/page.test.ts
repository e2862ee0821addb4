import type { Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { drop, overflow, pageWithoutComplaints } from "../../page/test/browser.js";
import { details, pick, press, start, verdict } from "./browser.js";
import { faint } from "./contrast.js";
import { block, FILES, readVectors, tests } from "./vectors.js";

let site: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  site = await start();
});

afterAll(() => site.stop());

/** Opens the page; at the test's end nothing may have been complained about. */
const visit = async (...options: Parameters<typeof site.visit>) =>
  pageWithoutComplaints(await site.visit(...options));

describe("a block", () => {
  test.each([
    ["1,795,974", 1795974, "3Remove 1Insert 2"],
    ["1,795,968", 1795968, "8Remove 3Insert 5"],
    ["1,796,136", 1796136, "18Lookup 5Remove 3Insert 10"],
    ["1,795,980", 1795980, "72Remove 37Insert 35"],
  ])("%s is verified", async (label, height, operations) => {
    const { input } = block(height);
    const page = await visit();
    await pick(page, label);
    expect(await verdict(page, "Verified")).toEqual({
      text: `The proof leads from the parent’s state root, through ${input.ops.length} operations, to exactly the block’s state root.`,
      facts: { "Leads to": input.stateRoot },
    });
    expect(await page.locator("#verdict-title").textContent()).toMatch(/^Verified in [\d,.]+ µs$/);
    expect(await page.locator("#title").textContent()).toBe(`Ergo mainnet block ${height}`);
    expect(await details(page)).toEqual({
      "Parent state root": input.parentStateRoot,
      "State root": input.stateRoot,
      "AD proofs root": input.adProofsRoot,
      Operations: operations,
      Proof: `${((input.proof.length - 2) / 2).toLocaleString("en")} bytes`,
    });
    expect(await page.locator("#origin").textContent()).toContain("MIT OR Apache-2.0");
  });

  test("picked last is shown, even if another one arrives later", async () => {
    const page = await visit();
    const held = new Promise<Route>((resolve) => {
      void page.route("**/1795974.json", resolve);
    });
    await pick(page, "1,795,974");
    await pick(page, "1,795,968");
    await verdict(page, "Verified");
    const late = page.waitForResponse("**/1795974.json");
    await (await held).continue();
    await (await late).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(await page.locator("#title").textContent()).toBe("Ergo mainnet block 1795968");
  });
});

describe("a lie about block 1,795,974 is refused", () => {
  // What is found was computed with test-vectors/python and Python's hashlib.
  const stateRoot = "0x302dc07f814f77c7f947ba80a894ffe79169899f9f646be0c6a14efd41787d861a";
  const lies = [
    {
      name: "Flip a byte of the proof",
      change: "Byte 1,339 of the proof is 0xbb instead of 0xba.",
      changed: "Proof",
      text: "The proof's hash is not the header's adProofsRoot.",
      facts: {
        Code: "mismatch",
        Reason: "ad_proofs_root_mismatch",
        Expected: "0xf74d35519c1718426ae80bb9a396f857821e2432f6a4bef1dce3543389ea2721",
        Found: "0x84361390d60ca821f176d2214777868e42507ff3174154914fde3e24464a56a7",
      },
    },
    {
      name: "Change an inserted value",
      change: "Byte 1 of the value that operation 2 inserts is 0x81 instead of 0x80.",
      changed: "Operations",
      text: "The operations lead to another digest than the header's stateRoot.",
      facts: {
        Code: "mismatch",
        Reason: "state_root_mismatch",
        Expected: stateRoot,
        Found: "0x001f2f775e8447ef23bf5ba20fe95ba96045635997d1583bd5b59cd3c47e26161a",
      },
    },
    {
      name: "Hide an operation",
      change:
        "Operation 1 is left out: Remove 0x139e83402f6bd81d0b87f9f16ca4a745da66ed8352ba961b9a840e14b0acf225.",
      changed: "Operations",
      text: "The directions lead to a leaf that does not cover the key.",
      facts: {
        Code: "mismatch",
        Reason: "key_not_in_leaf",
        Expected:
          "a leaf that covers 0x7a07a8a2c4d5dd59f35b98ac466a5f8e8c3a97a7d0c688fd5fd6fb7921ae1d25",
        Found:
          "the leaf from 0x139e83402f6bd81d0b87f9f16ca4a745da66ed8352ba961b9a840e14b0acf225 " +
          "to 0x139e8509249bcd664b2dff18ac0fa3c103c330c073626b7dffe212e0f9f7eeee",
      },
    },
    {
      name: "Claim another state root",
      change: "Byte 17 of the state root is 0x90 instead of 0x91.",
      changed: "State root",
      text: "The operations lead to another digest than the header's stateRoot.",
      facts: {
        Code: "mismatch",
        Reason: "state_root_mismatch",
        Expected: "0x302dc07f814f77c7f947ba80a894ffe79069899f9f646be0c6a14efd41787d861a",
        Found: stateRoot,
      },
    },
  ];

  test.each(lies)("$name", async ({ name, change, changed, text, facts }) => {
    const page = await visit();
    await pick(page, "1,795,974");
    await verdict(page, "Verified");
    await press(page, name);
    expect(await verdict(page, "Refused")).toEqual({ text, facts });
    expect(await page.locator("#change").textContent()).toBe(change);
    const badges = page.locator("#details dt", { has: page.locator(".badge") });
    expect(await badges.allTextContents()).toEqual([`${changed}changed`]);

    await press(page, "Tell the truth");
    expect((await verdict(page, "Verified")).facts).toEqual({ "Leads to": stateRoot });
    expect(await badges.count()).toBe(0);
  });

  test("none is missing here", async () => {
    const page = await visit();
    await pick(page, "1,795,974");
    await verdict(page, "Verified");
    const names = await page.locator("#lie button").allTextContents();
    expect(names).toEqual(["Tell the truth", ...lies.map(({ name }) => name)]);
  });
});

describe("a dropped file", () => {
  const [lookup] = tests("avl_batch.json");

  test("with a statement is verified", async () => {
    const page = await visit();
    const statement = { scheme: "avl", kind: "AvlBatch", ...lookup?.input };
    await drop(page, "lookup.json", JSON.stringify(statement));
    expect(await verdict(page, "Verified")).toEqual({
      text: "The proof shows 1 operation on the state with this root, and the previous value of each key.",
      facts: { "Leads to": lookup?.expected?.digest },
    });
    expect(await details(page)).toEqual({
      "State root": lookup?.input.digest,
      Form: "keys of 8 bytes, values of any length; strict mode",
      Operations: "1Lookup 1",
      Proof: "201 bytes",
    });
    for (const lie of ["Flip a byte of the proof", "Claim another state root"]) {
      await press(page, lie);
      expect((await verdict(page, "Refused")).facts).toMatchObject({ Reason: "root_mismatch" });
    }
  });

  test("with one test of a vector file is verified", async () => {
    const page = await visit();
    await drop(page, "test.json", JSON.stringify(block(1796160)));
    await verdict(page, "Verified");
    expect(await page.locator("#title").textContent()).toBe("Ergo mainnet block 1796160");
  });

  test("with a forged proof is refused, and no lies are offered", async () => {
    const page = await visit();
    const forged = tests("ergo_negative.json").find(
      ({ expectedReason }) => expectedReason === "root_mismatch",
    );
    await drop(page, "forged.json", JSON.stringify(forged));
    expect((await verdict(page, "Refused")).facts).toMatchObject({
      Code: "mismatch",
      Reason: "root_mismatch",
    });
    expect(await page.locator("#lies").isVisible()).toBe(false);
  });

  test.each(FILES)("with the vectors %s offers every one of them", async (name) => {
    const page = await visit();
    const vectors = tests(name);
    await drop(page, name, readVectors(name));
    const select = page.getByLabel(`${vectors.length.toLocaleString("en")} tests in ${name}`);
    await select.waitFor();
    expect(await select.locator("option").count()).toBe(vectors.length);

    const valid = vectors.findLastIndex(({ result }) => result === "valid");
    const mismatch = vectors.findLastIndex(({ expectedError }) => expectedError === "mismatch");
    for (const index of [valid, mismatch].filter((index) => index >= 0)) {
      await select.selectOption({ index });
      await verdict(page, index === valid ? "Verified" : "Refused");
      expect(await page.locator("#title").textContent()).toBe(vectors[index]?.comment);
    }
  });

  test("that is not JSON is explained, and a good one after it verified", async () => {
    const page = await visit();
    await drop(page, "notes.txt", "hello");
    expect(await verdict(page, "Cannot be checked")).toEqual({
      text: `It is not JSON: Unexpected token 'h', "hello" is not valid JSON.`,
      facts: { File: "notes.txt" },
    });
    await drop(page, "block.json", JSON.stringify(block(1795974)));
    await verdict(page, "Verified");
  });

  test("of an unknown kind is explained", async () => {
    const page = await visit();
    await drop(page, "oracle.json", JSON.stringify({ scheme: "avl", kind: "Oracle" }));
    expect((await verdict(page, "Cannot be checked")).text).toBe(
      'Its kind is "Oracle"; this page supports ErgoAdProofs and AvlBatch.',
    );
  });

  test("that is huge is explained, and not read", async () => {
    const page = await visit();
    await drop(page, "huge.json", { bytes: (32 << 20) + 1 });
    expect((await verdict(page, "Cannot be checked")).text).toBe(
      "It has 33 MiB; proof files have at most 32 MiB.",
    );
  });

  test("takes the place of the block that was picked", async () => {
    const page = await visit();
    await pick(page, "1,795,974");
    await verdict(page, "Verified");
    const pressed = page.locator("#blocks button[aria-pressed=true]");
    expect(await pressed.count()).toBe(1);
    await drop(page, "notes.txt", "hello");
    await verdict(page, "Cannot be checked");
    expect(await pressed.count()).toBe(0);
    for (const id of ["#lies", "#details"]) expect(await page.locator(id).isVisible()).toBe(false);
  });
});

describe("when the network fails", () => {
  test.each(["**/1795974.json", "**/*.wasm"])(
    "for %s, it is explained and can be repeated",
    async (url) => {
      const { page } = await site.visit();
      onTestFinished(() => page.context().close());
      await page.route(url, (route) => route.abort());
      await pick(page, "1,795,974");
      expect((await verdict(page, "Cannot be checked")).text).toMatch(/could not be loaded/);
      await page.unroute(url);
      await pick(page, "1,795,974");
      await verdict(page, "Verified");
    },
  );
});

describe("for everybody", () => {
  test("the keyboard is enough", async () => {
    const page = await visit();
    // Asked for early: the browser learns of it only some time later.
    const chooser = page.waitForEvent("filechooser", { timeout: 0 });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    for (const name of ["Ergo", "Ethereum", "1,795,9743 operations"]) {
      await page.keyboard.press("Tab");
      expect(await focused()).toBe(name);
    }
    const outline = await page.locator(":focus").evaluate((e) => getComputedStyle(e).outlineStyle);
    expect(outline).toBe("solid");
    await page.keyboard.press("Enter");
    await verdict(page, "Verified");

    while ((await focused()) !== "Flip a byte of the proof") await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await verdict(page, "Refused");
    expect(await focused()).toBe("Flip a byte of the proof");

    while ((await page.evaluate(() => document.activeElement?.id)) !== "file") {
      await page.keyboard.press("Shift+Tab");
    }
    await page.keyboard.press("Enter");
    const buffer = Buffer.from(JSON.stringify(block(1795968)));
    await (await chooser).setFiles({ name: "block.json", mimeType: "application/json", buffer });
    await verdict(page, "Verified");
    expect(await page.locator("#title").textContent()).toBe("Ergo mainnet block 1795968");
  });

  test("screen readers are told the verdict, and what a lie changed", async () => {
    const page = await visit();
    await pick(page, "1,795,974");
    await verdict(page, "Verified");
    await press(page, "Flip a byte of the proof");
    const live = await page.locator("[aria-live=polite]").allTextContents();
    expect(live.join(" ")).toMatch(/Refused in .* µs\s+The proof's hash.*Byte 1,339 of the proof/s);
    expect(await page.getByRole("button", { pressed: true }).allTextContents()).toEqual([
      "1,795,9743 operations",
      "Flip a byte of the proof",
    ]);
    expect(await page.getByLabel(/Drop it here or choose one/).getAttribute("type")).toBe("file");
  });

  test.each([360, 320])("a screen of %i pixels needs no scrolling sideways", async (width) => {
    const page = await visit({ viewport: { width, height: 740 } });
    expect(await overflow(page)).toBe(0);
    await pick(page, "1,796,136");
    await verdict(page, "Verified");
    expect(await overflow(page)).toBe(0);
    await press(page, "Hide an operation");
    await verdict(page, "Refused");
    expect(await overflow(page)).toBe(0);
    await drop(page, `${"long".repeat(50)}.json`, readVectors("avl_batch.json"));
    await verdict(page, "Verified");
    expect(await overflow(page)).toBe(0);
    await drop(page, `${"long".repeat(50)}.json`, '{ "kind": "AvlBatch" }');
    await verdict(page, "Cannot be checked");
    expect(await overflow(page)).toBe(0);
  });

  test.each(["light", "dark"] as const)(
    "text has enough contrast in the %s",
    async (colorScheme) => {
      const page = await visit({ colorScheme });
      expect(await page.evaluate(faint)).toEqual([]);
      await pick(page, "1,795,974");
      await verdict(page, "Verified");
      expect(await page.evaluate(faint)).toEqual([]);
      await press(page, "Flip a byte of the proof");
      await verdict(page, "Refused");
      expect(await page.evaluate(faint)).toEqual([]);
      await drop(page, "notes.txt", "hello");
      await verdict(page, "Cannot be checked");
      expect(await page.evaluate(faint)).toEqual([]);
    },
  );
});
