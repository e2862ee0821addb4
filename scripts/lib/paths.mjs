// Paths in the repository.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** Files that can be rebuilt: tools, build records, the Python environment. Never committed. */
export const cache = resolve(process.env.PROOFLIGHT_CACHE || join(root, ".cache"));

/** Command line tools with pinned versions, built by `cargo install`. */
export const tools = join(cache, "tools");

/** A path inside the repository (an absolute path stays as it is). */
export const inside = (...parts) => resolve(root, ...parts);

/** The reference node, built with the profile `node`. */
export const node = inside("target", "node", "prooflight-node");

/** typedoc, which is installed with the tools of documents. */
export const typedoc = inside("docs", "node_modules", ".bin", "typedoc");
