/** Bounds of replies: an honest answer always fits. */

import { expect, test } from "vitest";

import { readCheckpoint } from "../../src/chain/checkpoint.js";
import { boundsOf } from "../../src/client/bounds.js";
import { network } from "./network.js";

test("a proof of lmpt may have the longest value in each layer", () => {
  // Each layer may show a key's absence by the leaf of another key, which has its value.
  const { config } = readCheckpoint(network.pinned).json;
  const maxValue = 1024 * 1024;
  const longer = { ...config, limits: { ...config.limits, maxValue } };
  const { bytes } = boundsOf(longer, "prooflight_prove", { scheme: "lmpt", keys: ["0x00"] });
  expect(bytes).toBeGreaterThan(2 * 3 * maxValue);
});
