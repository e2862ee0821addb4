// node crates/testing/bench/log/measure.mjs [rate] [takeover] [reader] [readers] [leaders] [--keys N] [--minutes N]
// [--save FILE]: measures nodes that share a log in an S3 server on this machine. Without names, all parts. Each
// result goes to log.json, from which chart.mjs draws. Exit code 1 if an answer is wrong or there are two chains.

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

import { inside, node as program } from "../../../../scripts/lib/paths.mjs";
import { prepare } from "../../../../scripts/lib/setup.mjs";
import { Problem, main } from "../../../../scripts/lib/task.mjs";
import { bold, dim, duration, say } from "../../../../scripts/lib/terminal.mjs";
import { leaders } from "./leaders.mjs";
import { circumstances, load } from "./machine.mjs";
import { withPlaces } from "./places.mjs";
import { rate } from "./rate.mjs";
import { reader } from "./reader.mjs";
import { readers } from "./readers.mjs";
import { save } from "./save.mjs";
import { takeover } from "./takeover.mjs";

const PARTS = { rate, takeover, reader, readers, leaders };

const USAGE =
  `Usage: node crates/testing/bench/log/measure.mjs [${Object.keys(PARTS).join("] [")}] ` +
  "[--keys N] [--minutes N] [--save FILE]";

/** The parts and options of the command line. */
function read() {
  const string = { type: "string" };
  const options = { keys: string, minutes: string, save: string };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [keys, minutes] = [Number(values.keys ?? 1e6), Number(values.minutes ?? 10)];
    const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
    const known = names.every((name) => Object.hasOwn(PARTS, name));
    if (known && Number.isInteger(keys) && keys >= 1000 && minutes > 0) {
      return { names, keys, minutes, file: values.save };
    }
  } catch {
    // The usage says what is right.
  }
  throw new Problem(USAGE);
}

await main(async () => {
  const {
    names,
    keys,
    minutes,
    file = inside("crates", "testing", "bench", "log", "log.json"),
  } = read();
  if (!existsSync(program)) {
    throw new Problem("Build first: cargo build --profile node -p prooflight-node --locked");
  }
  await prepare(["versitygw"]);
  let failed = false;
  await withPlaces(async (places) => {
    for (const name of names) {
      say(`\n${bold(name)}  ${dim(`load ${load()}`)}`);
      const [began, before] = [Date.now(), circumstances()];
      const result = await PARTS[name](places, { keys, minutes });
      save(file, name, { ...before, "load after": load(), ...result });
      say(dim(`  took ${duration(Date.now() - began)}, load after ${load()}`));
      failed ||= (result.wrong ?? []).length > 0;
    }
  });
  return failed ? 1 : 0;
});
