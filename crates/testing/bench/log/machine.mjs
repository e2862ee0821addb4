// The machine of a measurement, and what a process takes of it.

import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";

import { ask } from "../../../../scripts/lib/command.mjs";
import { node as program } from "../../../../scripts/lib/paths.mjs";

/** The load average of the last minute. */
export const load = () => Number(loadavg()[0].toFixed(2));

/** What a result must name: date, machine, programs and load. */
export function circumstances() {
  return {
    date: new Date().toISOString(),
    machine: `${cpus()[0].model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: ask(program, "--version"),
    commit: ask("git", "rev-parse", "--short", "HEAD"),
    client: `Node ${process.versions.node}`,
    load: load(),
  };
}

const ticks = Number(ask("getconf", "CLK_TCK") ?? 100);

/** The processor time of a process so far, in milliseconds; the system counts in steps of 10. */
export function processorTime({ pid }) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before may have spaces. What follows it begins with field 3; user and system time are 14 and 15.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks;
}

/** The processor time of this program so far, in milliseconds. */
export function ownProcessorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
