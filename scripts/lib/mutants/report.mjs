// The report of a run: a table by crate, the panics, and the survivors.

import { bold, dim, fit, green, red, say, table, yellow } from "../terminal.mjs";
import { matches, reasonFor } from "./accepted.mjs";

/** Prints the outcomes of all runs of a build and a seed; returns the exit code. */
export function report({ mutants, lines, outcomes, accepted, only = "", seed }) {
  const chosen = mutants.filter((mutant) => mutant.file.startsWith(only));
  const files = Object.entries(lines).filter(([file]) => file.startsWith(only));
  say();
  table(rows(chosen, files, outcomes), "lrrrrrrrrr").forEach(say);

  const with_ = (...results) =>
    chosen.filter((mutant) => results.includes(outcomes.get(mutant.id)?.result));
  const apart = with_("panicked", "crashed", "hung");
  if (apart.length > 0) {
    say(
      `\n${bold("Caught, but not by a wrong answer")}: the verifier panicked, crashed or never ended`,
    );
    for (const mutant of apart) {
      const { result, test } = outcomes.get(mutant.id);
      say(
        `  ${result} ${place(mutant)}  ${dim(fit(`${mutant.after || mutant.before}  ${test ?? ""}`, 110))}`,
      );
    }
  }

  const survivors = with_("survived", "unreached").map((mutant) => ({
    mutant,
    why: reasonFor(mutant, accepted),
    unreached: outcomes.get(mutant.id).result === "unreached",
  }));
  const open = survivors.filter(({ why }) => why === undefined);
  show(
    "Survived, for an accepted reason",
    survivors.filter(({ why }) => why !== undefined),
  );
  show(
    "Survived without a reason: add a vector, or a reason in scripts/lib/mutants/accepted.json",
    open,
  );
  for (const entry of accepted) {
    if (!mutants.some((mutant) => matches(mutant, entry))) {
      say(yellow(`This entry of accepted.json matches no fault: ${JSON.stringify(entry)}`));
    }
  }

  const { tried, possible, covered, all } = sums(chosen, files, outcomes);
  say(
    `\nSeed ${seed}: ${tried} of ${possible} faults tried (${percent(tried, possible)}), ` +
      `${survivors.length} survived (${percent(survivors.length, tried)}), ${open.length} of them without a reason.\n` +
      `On ${covered} of ${all} lines of the verifiers' functions, a fault was tried (${percent(covered, all)}).`,
  );
  say(
    open.length === 0
      ? green("No survivor without a reason.")
      : red(`${open.length} survivors without a reason.`),
  );
  return open.length === 0 ? 0 : 1;
}

function rows(mutants, files, outcomes) {
  const head = ["crate", "tried", "of", "caught", "by panic", "survived", "unreached", "share"];
  const title = [...head, "not compiling", "lines"].map((cell) => bold(cell));
  const crates = [...new Set(mutants.map((mutant) => mutant.crate))];
  const row = (name, own, ownFiles) => {
    const count = (...results) =>
      own.filter((mutant) => results.includes(outcomes.get(mutant.id)?.result)).length;
    const { tried, possible, covered, all } = sums(own, ownFiles, outcomes);
    const survived = count("survived", "unreached");
    return [
      name,
      tried,
      possible,
      tried - survived,
      count("panicked", "crashed", "hung"),
      survived,
      count("unreached"),
      percent(survived, tried),
      own.length - possible,
      percent(covered, all),
    ];
  };
  const ofCrate = (name) =>
    row(
      name,
      mutants.filter((mutant) => mutant.crate === name),
      files.filter(([file]) => file.startsWith(`crates/${name}/`)),
    );
  return [title, ...crates.map(ofCrate), row("all", mutants, files)];
}

/** The numbers of faults and lines, and how many of these were tried. */
export function sums(mutants, files, outcomes) {
  const possible = mutants.filter((mutant) => mutant.compiles);
  const tried = possible.filter((mutant) => outcomes.has(mutant.id));
  const places = new Set(tried.map(place));
  const code = files.flatMap(([file, lines]) => lines.map((line) => place({ file, line })));
  return {
    tried: tried.length,
    possible: possible.length,
    covered: code.filter((line) => places.has(line)).length,
    all: code.length,
  };
}

function show(title, survivors) {
  if (survivors.length === 0) return;
  say(`\n${bold(title)} (${survivors.length})`);
  for (const { mutant, why, unreached } of survivors) {
    const where = unreached ? "not reached by any vector" : "";
    say(`  ${place(mutant)}  ${mutant.function}  ${dim(`${mutant.operator}  ${where}`)}`);
    say(`    ${red(`- ${mutant.before}`)}`);
    say(`    ${green(`+ ${mutant.after}`)}`);
    if (why !== undefined) say(`    ${why}`);
  }
}

const place = ({ file, line }) => `${file}:${line}`;

const percent = (part, whole) => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);
