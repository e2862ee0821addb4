// A named piece of work with visible progress, whose output is shown only when it fails.

import { CommandFailed, run } from "./command.mjs";
import { progress } from "./progress.mjs";
import { say } from "./terminal.mjs";

/** A problem a person can act on: printed as it is, without a stack. */
export class Problem extends Error {}

/** Work that failed and has already said so. */
export class TaskFailed extends Error {}

/**
 * Does `body`, which gets `sh(command, args, options)` to run programs, `note(text)` to show how
 * far it is, and `output()`, all that the programs printed. What it returns is the remark behind
 * the title.
 *
 * Throws `TaskFailed` after printing the output and why it failed.
 */
export async function task(title, body) {
  const bar = progress(title);
  let output = "";
  const note = (text) => {
    const last = text
      .trimEnd()
      .split(/[\r\n]+/)
      .pop();
    if (last) bar.note(last);
  };
  const onData = (text) => {
    output += text;
    note(text);
  };
  const sh = (command, args, options = {}) => run(command, args, { onData, ...options });
  try {
    const remark = await body({ sh, note, output: () => output });
    bar.done(remark);
    return { remark };
  } catch (error) {
    bar.failed();
    if (!(error instanceof CommandFailed || error instanceof Problem)) throw error;
    if (output) say(indent(output));
    say(indent(error.message));
    throw new TaskFailed(title);
  }
}

/** Runs a script: problems print one clear message, and any failure gives exit code 1. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    if (error instanceof Problem) process.stderr.write(`\n${error.message}\n`);
    else if (!(error instanceof TaskFailed)) process.stderr.write(`${error?.stack ?? error}\n`);
    process.exitCode = 1;
  }
}

const indent = (text) => text.trimEnd().replace(/^/gm, "    ");
