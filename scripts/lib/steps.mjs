// The steps of `npm test`, of which two run at once.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { build } from "./build.mjs";
import { PUBLISHED, VERIFIERS, packagesOf } from "./crates.mjs";
import { cargoTests, lacking, nodeTests, pythonTests, vitestTests } from "./counts.mjs";
import { warnIfFull, warnIfTooLittle } from "./disk.mjs";
import { filesUnder } from "./fingerprint.mjs";
import { inside, typedoc } from "./paths.mjs";
import { withBucket } from "./s3.mjs";
import { forBuild, prepare } from "./setup.mjs";
import { Problem, TaskFailed, task } from "./task.mjs";
import { bold, colour, duration, green, red, say, table, yellow } from "./terminal.mjs";
import { workspaces } from "./workspaces.mjs";

/** The disk space of all steps together, in gigabytes: most of it is compiled Rust. */
const ROOM = 12;

/** The folder in which packed crates are compiled. */
const PACKED = inside("target", "packed");

/**
 * Cargo treats a packed crate like a published one, whose contents never change for a version: it would
 * reuse what it unpacked and compiled the last time.
 */
function forgetPacked() {
  const home = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const unpacked = join(home, "registry", "src");
  const registries = existsSync(unpacked) ? readdirSync(unpacked) : [];
  const folders = registries.map((name) => join(unpacked, name));
  for (const folder of [...folders, join(PACKED, "debug", ".fingerprint")]) {
    const ours = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of ours.filter((name) => name.startsWith("prooflight-"))) {
      rmSync(join(folder, name), { recursive: true });
    }
  }
}

const cargo = (command, ...args) => [command, "--workspace", "--all-features", "--locked", ...args];

/**
 * Each step: the tools that it needs, whether it needs the build, whether cargo compiles for it, and its work, which
 * returns a remark. A step whose folder is missing fails; no step is silently skipped.
 */
export const STEPS = {
  format: {
    tools: ["npm", "rust"],
    async run({ sh }) {
      const check = ["--check", "--", "--color", colour ? "always" : "never"];
      await sh("cargo", ["fmt", "--all", ...check]);
      await sh("cargo", ["fmt", "--manifest-path", "crates/testing/fuzz/Cargo.toml", ...check]);
      await sh("prettier", ["--check", "--log-level", "warn", "."]);
    },
  },
  clippy: {
    tools: ["rust"],
    compiles: true,
    programs: ["cc"],
    async run({ sh }) {
      await sh("cargo", [...cargo("clippy", "--all-targets"), "--", "-D", "warnings"]);
      // Without its schemes, `light` would verify nothing.
      const schemes = ["--no-default-features", "--features", "prooflight-light/default"];
      const wasm = [...schemes, "--target", "wasm32-unknown-unknown", "--locked"];
      await sh("cargo", ["clippy", ...packagesOf(VERIFIERS), ...wasm, "--", "-D", "warnings"]);
      // Clippy does not link, so libFuzzer need not be compiled: any library name will do.
      const env = { CUSTOM_LIBFUZZER_PATH: "/unused/libfuzzer.a" };
      const fuzz = ["--manifest-path", "crates/testing/fuzz/Cargo.toml", "--locked"];
      await sh("cargo", ["clippy", ...fuzz, "--", "-D", "warnings"], { env });
    },
  },
  deny: {
    tools: ["rust", "cargo-deny"],
    async run({ sh }) {
      await sh("cargo", ["deny", "--all-features", "check", "bans", "licenses", "sources"]);
    },
  },
  rust: {
    tools: ["rust"],
    compiles: true,
    programs: ["cc"],
    async run({ sh, output }) {
      // All failures at once, not those of the first program alone.
      await sh("cargo", cargo("test", "--no-fail-fast"));
      return cargoTests(output());
    },
  },
  s3: {
    tools: ["rust", "versitygw"],
    compiles: true,
    programs: ["cc"],
    // PROOFLIGHT_S3 names an empty bucket on another server.
    async run({ sh, output }) {
      await withBucket(async (env) => {
        await sh("cargo", cargo("test", "--test", "s3", "--", "--ignored"), { env });
        // The nodes' tests are among them; those that change files use a folder.
        for (const name of ["log", "snapshots_log"]) {
          await sh("cargo", cargo("test", "--test", name, "--", "--test-threads", "4"), { env });
        }
      });
      return cargoTests(output());
    },
  },
  rustdoc: {
    tools: ["rust"],
    compiles: true,
    async run({ sh }) {
      const env = { RUSTDOCFLAGS: "-D warnings" };
      await sh("cargo", cargo("doc", "--no-deps"), { env });
    },
  },
  crates: {
    tools: ["rust"],
    compiles: true,
    // Like `cargo publish --dry-run`, but without the registry: each packed crate must compile with
    // the other packed crates.
    async run({ sh }) {
      await sh("cargo", ["fetch", "--locked"]);
      forgetPacked();
      const options = ["--all-features", "--locked", "--offline", "--allow-dirty"];
      const all = ["package", ...packagesOf(PUBLISHED), ...options, "--target-dir", PACKED];
      // Nobody debugs what is compiled here.
      await sh("cargo", all, { env: { CARGO_PROFILE_DEV_DEBUG: "0" } });
    },
  },
  typedoc: {
    tools: ["npm", "npm for documents"],
    built: true,
    async run({ sh }) {
      await sh(typedoc, ["--options", "packages/prooflight/typedoc.json", "--emit", "none"]);
    },
  },
  scripts: {
    // Cargo finds the dependencies among the crates.
    tools: ["rust"],
    async run({ sh, output }) {
      await sh("node", ["--test", ...testFiles("scripts")]);
      return nodeTests(output());
    },
  },
  schema: {
    tools: ["npm"],
    async run({ sh, output }) {
      await sh("node", ["--test", ...testFiles("test-vectors")]);
      return nodeTests(output());
    },
  },
  vectors: {
    tools: ["rust"],
    compiles: true,
    programs: ["cc"],
    async run({ sh }) {
      await sh("npm", ["run", "--silent", "vectors", "--", "--check"]);
      return "regenerated, byte-identical";
    },
  },
  python: {
    tools: [],
    programs: ["python"],
    async run({ sh, output }) {
      const cwd = inside("test-vectors", "python");
      await sh("python3", ["-m", "unittest", "discover", "--start-directory", "tests"], { cwd });
      const own = pythonTests(output());
      const kit = inside("test-vectors", "kit");
      await sh("python3", ["run.py", "python3 adapter.py", "--skip", "StateRoots"], { cwd: kit });
      return `${own}; vectors: ${lastLine(output())}`;
    },
  },
  kit: {
    tools: ["npm", "rust"],
    compiles: true,
    programs: ["cc", "python"],
    built: true,
    // The conformance kit with its adapters in Rust and TypeScript; the step `python` runs it with the third.
    async run({ sh, output }) {
      const cwd = inside("test-vectors", "kit");
      await sh("python3", ["-m", "unittest", "discover", "--start-directory", "tests"], { cwd });
      const own = pythonTests(output());
      await sh("cargo", cargo("build", "--example", "adapter"));
      const strict = "--strict --module nodenext --target es2022 --types node --skipLibCheck";
      await sh("tsc", [
        ...strict.split(" "),
        "--outDir",
        "target/kit",
        "test-vectors/kit/adapter.ts",
      ]);
      const files = [
        "amb/samples",
        "avl/avl_compat",
        "chain/state_range",
        "lvmt/setup",
        "mpt/trie",
      ];
      const paths = files.map((name) => inside("test-vectors", `${name}.json`));
      const rust = `'${inside("target", "debug", "examples", "adapter")}'`;
      const typescript = `node '${inside("target", "kit", "adapter.js")}'`;
      for (const command of [rust, typescript])
        await sh("python3", ["run.py", command, ...paths], { cwd });
      return `${own}; vectors: ${lastLine(output())}`;
    },
  },
  eslint: {
    tools: ["npm", "npm for tests"],
    // Some rules need types: the package's are in its build, those of its tests in their libraries.
    built: true,
    async run({ sh }) {
      await sh("eslint", ["--max-warnings", "0", "."]);
    },
  },
  prooflight: {
    tools: ["npm", "npm for tests", "chromium"],
    built: true,
    async run({ sh, output }) {
      await sh("npm", ["test", "--silent", "--workspace", "packages/prooflight"]);
      return vitestTests(output());
    },
  },
  ethereum: {
    tools: ["npm", "npm for tests", "geth"],
    built: true,
    // PROOFLIGHT_ETHEREUM_MAINNET and PROOFLIGHT_EXECUTION_APIS name folders of other cases.
    async run({ sh, detail, output }) {
      await sh("npm", ["run", "--silent", "test:ethereum", "--workspace", "packages/prooflight"]);
      for (const line of lacking(output())) detail(line);
      return vitestTests(output());
    },
  },
  sizes: {
    tools: ["npm"],
    built: true,
    async run({ sh }) {
      const check = ["run", "--silent", "sizes", "--workspace", "packages/prooflight"];
      await sh("npm", [...check, "--", "--check"]);
      return "none grew by more than 1 %";
    },
  },
  package: {
    tools: ["npm", "chromium"],
    built: true,
    async run({ sh }) {
      await sh("npm", ["run", "--silent", "test:package", "--workspace", "packages/prooflight"]);
    },
  },
  start: {
    tools: [],
    built: true,
    async run({ sh }) {
      await sh("npm", ["start", "--silent", "--", "--once"]);
    },
  },
  cluster: {
    tools: ["versitygw"],
    built: true,
    async run({ sh, output }) {
      await sh("npm", ["run", "--silent", "cluster", "--", "--once"]);
      return /^\d+ blocks, .*$/m.exec(output())?.[0];
    },
  },
  examples: {
    // Ethereum's examples use recorded answers, which the package's tests read.
    tools: ["npm", "npm for tests", "chromium"],
    built: true,
    async run({ sh, output }) {
      const examples = workspaces("examples");
      if (examples.length === 0) throw new Problem("examples/ has no example.");
      // Their malicious server is a package of its own.
      for (const path of ["packages/lying-proxy", ...examples.map(({ path }) => path)]) {
        await sh("npm", ["test", "--silent", "--workspace", path]);
      }
      return vitestTests(output());
    },
  },
};

/** One step alone leaves a processor idle for much of its time; more than two would compete for both. */
const AT_ONCE = 2;

/** Runs the named steps, prints a table of the outcomes, and returns the exit code. */
export async function runSteps(names) {
  const unknown = names.filter((name) => !(name in STEPS));
  if (unknown.length > 0) {
    throw new Problem(
      `No such step: ${unknown.join(", ")}. The steps are: ${Object.keys(STEPS).join(", ")}.`,
    );
  }
  const start = Date.now();
  const chosen = Object.keys(STEPS).filter((name) => names.includes(name));
  warnIfTooLittle(ROOM);
  const outcomes = [await attempt("tools", () => setUp(chosen))];
  if (outcomes[0].result === "passed") outcomes.push(...(await runAll(chosen)));
  else outcomes.push(...chosen.map(notRun));
  return summary(outcomes, Date.now() - start);
}

/** The outcomes of the build, if a step needs it, and of these steps, in this order. */
async function runAll(names) {
  const needsBuild = names.some((name) => STEPS[name].built);
  const all = needsBuild ? ["build", ...names] : names;
  const outcomes = new Map();
  const running = new Map();
  const result = (name) => outcomes.get(name)?.result;
  // Two programs of cargo that compile into one folder wait for each other.
  const mayRun = (name) =>
    !(STEPS[name]?.compiles && [...running.keys()].some((other) => STEPS[other]?.compiles)) &&
    !(STEPS[name]?.built && result("build") === undefined);
  for (;;) {
    const waiting = all.filter((name) => !outcomes.has(name) && !running.has(name));
    if (waiting.length === 0 && running.size === 0) return all.map((name) => outcomes.get(name));
    const next = running.size < AT_ONCE ? waiting.find(mayRun) : undefined;
    if (next === undefined) await Promise.race(running.values());
    else if (STEPS[next]?.built && result("build") !== "passed") outcomes.set(next, notRun(next));
    else {
      const work = next === "build" ? build : () => task(next, STEPS[next].run);
      const done = attempt(next, work).then((outcome) => {
        outcomes.set(next, outcome);
        running.delete(next);
      });
      running.set(next, done);
    }
  }
}

const notRun = (name) => ({ name, result: "not run" });

function setUp(chosen) {
  const steps = chosen.map((name) => STEPS[name]);
  const tools = steps.flatMap((step) => [...step.tools, ...(step.built ? forBuild : [])]);
  return prepare(
    [...new Set(tools)],
    steps.flatMap((step) => step.programs ?? []),
  );
}

/** Does `work` and returns its outcome. */
async function attempt(name, work) {
  const start = Date.now();
  let result = "passed";
  let remark;
  try {
    remark = (await work())?.remark;
  } catch (error) {
    result = "failed";
    warnIfFull();
    if (error instanceof Problem) say(`\n${error.message}\n`);
    else if (!(error instanceof TaskFailed)) say(error?.stack ?? String(error));
  }
  return { name, result, remark, milliseconds: Date.now() - start };
}

function summary(outcomes, milliseconds) {
  const paint = { passed: green, failed: red, "not run": yellow };
  const rows = outcomes.map(({ name, result, remark, milliseconds }) => [
    `  ${name}`,
    milliseconds === undefined ? "" : duration(milliseconds),
    paint[result](result),
    remark ?? "",
  ]);
  say();
  table([[bold("  step"), bold("time"), bold("result"), ""], ...rows], "lrll").forEach(say);
  const passed = outcomes.filter(({ result }) => result === "passed").length;
  say(`\n${passed} passed, ${outcomes.length - passed} failed  ${duration(milliseconds)}`);
  return passed === outcomes.length ? 0 : 1;
}

const lastLine = (text) => text.trimEnd().split("\n").pop();

function testFiles(folder) {
  const files = filesUnder([folder]).filter((path) => path.endsWith(".test.mjs"));
  if (files.length === 0) throw new Problem(`${folder} has no *.test.mjs file.`);
  return files;
}
