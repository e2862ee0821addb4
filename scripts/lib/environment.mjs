// The environment of every command that these scripts run.

import { delimiter, join } from "node:path";
import { homedir } from "node:os";

import { inside, tools } from "./paths.mjs";
import { colour } from "./terminal.mjs";

/** Our tools first, then those of npm packages, then the caller's, then rustup's usual place. */
const path = [
  join(tools, "bin"),
  inside("node_modules", ".bin"),
  process.env.PATH ?? "",
  join(process.env.CARGO_HOME || join(homedir(), ".cargo"), "bin"),
].join(delimiter);

const { NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;

export const environment = {
  ...inherited,
  PATH: path,
  ...(colour
    ? { FORCE_COLOR: "1", CARGO_TERM_COLOR: "always" }
    : { NO_COLOR: "1", CARGO_TERM_COLOR: "never" }),
  // npm packages must not download browsers: the tests use the system's Chromium.
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
  // Incremental compilation costs time and gigabytes where there is no next build.
  ...(process.env.CI ? { CARGO_INCREMENTAL: "0" } : {}),
};
