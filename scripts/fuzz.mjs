// npm run fuzz -- SECONDS: runs every target of crates/testing/fuzz, each for its share of the time.
// Inputs that crash, hang or use too much memory are kept; any of them makes the run fail.

import { mkdirSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { CommandFailed } from "./lib/command.mjs";
import { cache, inside } from "./lib/paths.mjs";
import { prepare } from "./lib/setup.mjs";
import { Problem, TaskFailed, main, task } from "./lib/task.mjs";
import { bold, say } from "./lib/terminal.mjs";

// cargo-fuzz needs a nightly compiler only for its sanitizer flags. RUSTC_BOOTSTRAP enables them in the
// pinned compiler.
const ENV = { RUSTC_BOOTSTRAP: "1" };
const CARGO_FUZZ = ["--fuzz-dir", "crates/testing/fuzz", "--sanitizer", "address"];

/** An input of a few kilobytes must not run for seconds or allocate 64 MiB. */
const LIMITS = ["-timeout=5", "-malloc_limit_mb=64"];

await main(async () => {
  const seconds = Number(process.argv[2]);
  if (!Number.isInteger(seconds) || seconds < 1 || process.argv.length > 3) {
    throw new Problem(
      "Usage: npm run fuzz -- SECONDS   (for all targets together, for example 600)",
    );
  }
  const targets = fuzzTargets();
  await prepare(["rust", "cargo-fuzz"], ["cc", "c++"]);
  await task("build the fuzz targets", async ({ sh }) => {
    await sh("cargo", ["fuzz", "build", ...CARGO_FUZZ], { env: ENV });
  });

  const share = Math.max(1, Math.floor(seconds / targets.length));
  say(`  ${bold(`${targets.length} targets, ${share} s each`)}`);
  const failed = [];
  for (const target of targets) {
    await task(target, (shell) => fuzz(target, share, shell)).catch((error) => {
      if (!(error instanceof TaskFailed)) throw error;
      failed.push(target);
    });
  }
  if (failed.length > 0) throw new Problem(`Failing inputs of: ${failed.join(", ")} (see above).`);
  say(`  No crashes, no hangs, no input over the memory limit.`);
});

/** Fuzzes one target; the remark is the number of runs. */
async function fuzz(target, seconds, { sh, note }) {
  // New inputs go to the cache; the committed corpus is only read.
  const corpus = [
    join(cache, "fuzz", target),
    inside("crates", "testing", "fuzz", "corpus", target),
  ];
  mkdirSync(corpus[0], { recursive: true });
  const folders = corpus.filter((folder) => existsSync(folder));
  const libFuzzer = [`-max_total_time=${seconds}`, "-print_final_stats=1", ...LIMITS];
  const kept = inside("crates", "testing", "fuzz", "artifacts", target);
  const before = filesOf(kept);
  let output = "";
  const onData = (text) => {
    output += text;
    note(text);
  };
  try {
    const args = ["fuzz", "run", ...CARGO_FUZZ, target, ...folders, "--", ...libFuzzer];
    await sh("cargo", args, { env: ENV, onData, limit: (seconds + 600) * 1000 });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const inputs = filesOf(kept).filter((file) => !before.includes(file));
    throw new Problem(
      [
        // Omit libFuzzer's line about every new input.
        ...output.split("\n").filter((line) => !/^#\d+\s/.test(line)),
        error.message,
        ...inputs.map((file) => `The input was saved as ${join(kept, file)}`),
      ].join("\n"),
    );
  }
  const runs = Number(/stat::number_of_executed_units:\s*(\d+)/.exec(output)?.[1] ?? 0);
  if (runs === 0) throw new Problem(`${output}\nThe target ran no input.`);
  return `${runs.toLocaleString("en")} executions`;
}

function filesOf(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function fuzzTargets() {
  const path = inside("crates", "testing", "fuzz", "Cargo.toml");
  if (!existsSync(path))
    throw new Problem("crates/testing/fuzz/Cargo.toml is missing: no fuzz targets.");
  const bins = readFileSync(path, "utf8")
    .split(/^\[\[bin\]\]/m)
    .slice(1);
  const names = bins.map((bin) => /^name\s*=\s*"([^"]+)"/m.exec(bin)?.[1]).filter(Boolean);
  if (names.length === 0) throw new Problem("crates/testing/fuzz/Cargo.toml has no [[bin]].");
  return names;
}
