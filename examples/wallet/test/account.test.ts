import { describe, expect, test } from "vitest";

import {
  balanceOf,
  keyOf,
  MAX_AMOUNT,
  MAX_NAME,
  nameOf,
  parseAmount,
  readAmount,
  showAmount,
  writeAmount,
} from "../src/account.js";

describe("amounts", () => {
  test.each([
    ["0", 0n, "0000000000000000", "0.00"],
    ["0.05", 5n, "0000000000000005", "0.05"],
    ["10.5", 1050n, "000000000000041a", "10.50"],
    ["1250.00", 125000n, "000000000001e848", "1,250.00"],
    ["999999999999999.99", 99999999999999999n, "016345785d89ffff", "999,999,999,999,999.99"],
  ])("%s", (text, cents, written, shown) => {
    expect(parseAmount(text)).toBe(cents);
    expect(Buffer.from(writeAmount(cents)).toString("hex")).toBe(written);
    expect(readAmount(new Uint8Array(Buffer.from(`ff${written}ff`, "hex")).subarray(1, 9))).toBe(
      cents,
    );
    expect(showAmount(cents)).toBe(shown);
  });

  test("the largest one fits into a value", () => {
    expect(readAmount(writeAmount(MAX_AMOUNT))).toBe(MAX_AMOUNT);
  });

  test.each([0, 1, 7, 9])("%i bytes are none", (length) => {
    expect(balanceOf({ kind: "present", value: new Uint8Array(length) })).toBeUndefined();
  });

  test("a change for the worse has a minus sign", () => {
    expect(showAmount(-105n)).toBe("−1.05");
  });

  test.each(["", ".5", "1.", "1.234", "1,5", "-1", "1e3", "0x10", " 1", "1".repeat(16)])(
    "%j is none",
    (text) => {
      expect(parseAmount(text)).toBeUndefined();
    },
  );
});

describe("keys", () => {
  test.each(["alice", "Zoë", "a/b", "名".repeat(66)])("%s", (name) => {
    expect(nameOf(keyOf(name))).toBe(name);
  });

  test("the longest name fits the keys of every chain", () => {
    expect(keyOf("x".repeat(MAX_NAME)).length).toBeLessThanOrEqual(256);
  });

  test("what is no account is shown as it is", () => {
    expect(nameOf(new TextEncoder().encode("config"))).toBe("config");
    expect(nameOf(new Uint8Array([0xff, 0xfe]))).toBe("key of 2 bytes");
  });
});
