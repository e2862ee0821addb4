/** The liar of `packages/lying-proxy`, with types. */

// @ts-expect-error: plain JavaScript
import { lies as untyped } from "../../../lying-proxy/src/lies/index.mjs";
// @ts-expect-error: plain JavaScript
import { startProxy as start } from "../../../lying-proxy/src/proxy.mjs";

import type { Network } from "./setup.js";

/** All lies. */
export const lies = untyped as Network["lies"];

/** Starts a liar in front of a node. */
export const startProxy = start as (options: {
  target: string;
}) => Promise<{ url: string; close: () => Promise<void> }>;
