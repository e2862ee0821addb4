import { describe, expect, test } from "vitest";

import { keyOf, MAX_NAME, nameOf, parseAmount, showAmount, writeAmount } from "../src/account.js";

describe("amounts", () => {
  test.each([
    ["0", 0n, "0.00", "0.00"],
    ["0.05", 5n, "0.05", "0.05"],
    ["10.5", 1050n, "10.50", "10.50"],
    ["1250.00", 125000n, "1250.00", "1,250.00"],
    ["999999999999999.99", 99999999999999999n, "999999999999999.99", "999,999,999,999,999.99"],
  ])("%s", (text, hundredths, written, shown) => {
    expect(parseAmount(text)).toBe(hundredths);
    expect(writeAmount(hundredths)).toBe(written);
    expect(showAmount(hundredths)).toBe(shown);
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
