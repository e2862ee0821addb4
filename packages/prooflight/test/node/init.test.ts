import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

import { expect, onTestFinished, test } from "vitest";

import { init, verifyLookup } from "../../src/avl.js";
import type * as provider from "../../src/provider.js";
import { refusal, rejection, verdict } from "../refusal.js";

test("a URL that is relative to nothing is refused", async () => {
  const error = await rejection(init("./prooflight-hash.wasm"));
  expect(verdict(error)).toBe("invalid_input / invalid_argument");
});

test("bytes of another realm are bytes", async () => {
  await init();
  const [digest, key, proof] = runInNewContext(
    "[new Uint8Array(33), new Uint8Array([1]), new Uint8Array()]",
  ) as [Uint8Array, Uint8Array, Uint8Array];
  expect(digest).not.toBeInstanceOf(Uint8Array);
  const error = refusal(() => verifyLookup({ digest, key, proof, keyLength: 1 }));
  expect(verdict(error)).toBe("malformed / truncated");
});

test("without the binaries, a provider and its client name the entry that has them", async () => {
  const dist = fileURLToPath(new URL("../../dist", import.meta.url));
  const bare = mkdtempSync(join(tmpdir(), "prooflight-bare-"));
  onTestFinished(() => {
    rmSync(bare, { recursive: true });
  });
  cpSync(dist, bare, { recursive: true, filter: (path) => !path.endsWith(".wasm") });
  const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(join(bare, name)).href);
  writeFileSync(join(bare, "package.json"), '{ "type": "module" }');
  const { createProvider } = (await load("provider.js")) as typeof provider;
  const asked = createProvider({
    provider: { request: () => Promise.resolve({}) },
    chainId: 1,
    trust: () => Promise.reject(new Error("not asked")),
  }).request({ method: "eth_getBalance", params: [`0x${"00".repeat(20)}`, "latest"] });
  await expect(asked).rejects.toThrow("prooflight/inline/provider for a provider");
  const ethereum = (await load("wasm/ethereum.js")) as { ethereum: { init(): Promise<void> } };
  await expect(ethereum.ethereum.init()).rejects.toThrow(
    "import prooflight/inline/ethereum, or prooflight/inline/provider for a provider",
  );
});
