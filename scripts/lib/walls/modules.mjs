// The modules of a Rust crate.

import { dirname } from "node:path/posix";

/** Files beside a folder of the same name, whose place is `mod.rs` in it. */
export function besideFolders(paths) {
  const folders = new Set(paths.map((path) => dirname(path)));
  return paths.filter((path) => folders.has(path.replace(/\.rs$/, "")));
}
