/// <reference types="vite/client" />

import { expect, test } from "vitest";

import { checkEthereum } from "../../test-package/projects/with-ethereum/ethereum.js";

/** The addresses of recorded answers of mainnet, by their names. */
const urls = new Map(
  Object.entries(
    import.meta.glob<string>("../../../../examples/verify-in-browser/public/ethereum/receipt/*", {
      query: "?url",
      import: "default",
      eager: true,
    }),
  ).map(([path, url]) => [path.split("/").at(-1), url]),
);

test("mainnet is followed from a checkpoint to the receipts of a block, and forgeries are refused", async () => {
  const found = await checkEthereum(async (name) => {
    const response = await fetch(urls.get(name) ?? "");
    return new Uint8Array(await response.arrayBuffer());
  });
  expect(found).toEqual([
    "slot 11069311",
    "block 21854576",
    "57 receipts",
    "untrusted / invalid_signature",
    "mismatch / root_mismatch",
  ]);
});
