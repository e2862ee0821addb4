// Bun: a script, and a single-file executable that runs without its modules.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { Problem } from "../../../scripts/lib/task.mjs";
import { assertOutcome } from "./outcome.mjs";
import { fileOf } from "./tools.mjs";

/** Runs the project's script, then compiles and runs it. */
export async function bun(path, { sh, output }) {
  const arch = { arm64: "aarch64" }[process.arch] ?? process.arch;
  const program = fileOf("@oven", `bun-${process.platform}-${arch}`, "bin", "bun");
  if (!existsSync(program))
    throw new Problem(`tools/package.json has no Bun for ${process.platform} ${arch}.`);
  const inputs = join(path, "public", "inputs.json");
  const run = async (command, args, cwd) => {
    const before = output().length;
    await sh(command, [...args, inputs], { cwd });
    assertOutcome(JSON.parse(output().slice(before)));
  };
  await run(program, ["main.ts"], path);
  const elsewhere = join(path, "..", "compiled");
  mkdirSync(elsewhere);
  const app = join(elsewhere, "app");
  await sh(program, ["build", "--compile", "main.ts", "--outfile", app], { cwd: path });
  await run(app, [], elsewhere);
}
