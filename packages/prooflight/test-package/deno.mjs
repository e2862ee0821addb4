// Deno: a script that imports the package from node_modules, with no permission but for its inputs and the network.

import { chmodSync, existsSync } from "node:fs";

import { Problem } from "../../../scripts/lib/task.mjs";
import { assertOutcome } from "./outcome.mjs";
import { fileOf } from "./tools.mjs";

const SYSTEMS = { linux: "linux-x64-glibc", darwin: "darwin-arm64" };

/** Checks the types of the project's script, and runs it. */
export async function deno(path, { sh, output }) {
  const program = fileOf("@deno", SYSTEMS[process.platform] ?? "none", "deno");
  if (!existsSync(program)) {
    throw new Problem(`tools/package.json has no Deno for ${process.platform} ${process.arch}.`);
  }
  chmodSync(program, 0o755);
  const permissions = ["--allow-read=.", "--allow-net=127.0.0.1"];
  const options = ["--quiet", "--check", "--no-prompt", "--no-lock", "--node-modules-dir=manual"];
  const before = output().length;
  await sh(program, ["run", ...options, ...permissions, "main.ts"], { cwd: path });
  assertOutcome(JSON.parse(output().slice(before)), { isSecret: [true] });
}
