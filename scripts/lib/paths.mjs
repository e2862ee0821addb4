// Where things are.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** Everything that can be rebuilt: tools, stamps, the Python environment. Never committed. */
export const cache = resolve(process.env.PROOFLIGHT_CACHE || join(root, ".cache"));

/** Command line tools of pinned versions, built by `cargo install`. */
export const tools = join(cache, "tools");

/** A path inside the repository (an absolute path stays what it is). */
export const inside = (...parts) => resolve(root, ...parts);

/** The reference node, built by the profile of its name. */
export const node = inside("target", "node", "prooflight-node");
