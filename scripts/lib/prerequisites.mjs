// Programs that must be on the machine before anything can be installed.

import { ask } from "./command.mjs";
import { Problem } from "./task.mjs";
import { python as leastPython } from "./versions.mjs";

const APT = "on Debian or Ubuntu: apt-get install";

const PREREQUISITES = {
  npm: {
    found: () => ask("npm", "--version"),
    missing: "npm, which comes with Node: https://nodejs.org",
  },
  rustup: {
    found: () => ask("rustup", "--version"),
    missing:
      "rustup, which installs the Rust toolchain pinned in rust-toolchain.toml: https://rustup.rs",
  },
  cc: {
    found: () => ask("cc", "--version"),
    missing: `a C compiler, which Rust uses for linking (${APT} build-essential)`,
  },
  "c++": {
    found: () => ask("c++", "--version"),
    missing: `a C++ compiler, which builds libFuzzer (${APT} build-essential)`,
  },
  python: {
    found: () =>
      ask("python3", "-c", `import sys; sys.exit(sys.version_info < ${tuple(leastPython)})`),
    missing:
      `Python ${leastPython.join(".")} or newer, which runs the independent verifier ` +
      `(${APT} python3)`,
  },
};

/** Throws a `Problem` that lists every one of `names` that is missing. */
export function require(names) {
  const missing = [...new Set(names)].filter((name) => PREREQUISITES[name].found() === undefined);
  if (missing.length === 0) return;
  const list = missing.map((name) => `  - ${PREREQUISITES[name].missing}`);
  throw new Problem(["Please install first:", ...list, "and run this again."].join("\n"));
}

const tuple = (version) => `(${version.join(", ")},)`;
