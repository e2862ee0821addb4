// A named task with visible progress, whose output is shown only if it fails.

import { CommandFailed, run } from "./command.mjs";
import { whatMatters } from "./failure.mjs";
import { progress } from "./progress.mjs";
import { say } from "./terminal.mjs";

/** A problem that the user can fix: its message is printed without a stack trace. */
export class Problem extends Error {}

/** A task that failed and has already reported it. */
export class TaskFailed extends Error {}

/**
 * Runs `body`, which gets `sh(command, args, options)` to run programs, `note(text)` to show
 * progress, `detail(text)` to show a line after the title once all is done, and `output()`, everything
 * that the programs printed. The result of `body` is the remark after the title.
 *
 * If `body` fails, prints what matters of the output and the cause, and throws `TaskFailed`.
 */
export async function task(title, body) {
  const bar = progress(title);
  let output = "";
  const details = [];
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
    const remark = await body({
      sh,
      note,
      detail: (text) => void details.push(text),
      output: () => output,
    });
    bar.done(remark);
    for (const detail of details) say(indent(detail));
    return { remark };
  } catch (error) {
    bar.failed();
    if (!(error instanceof CommandFailed || error instanceof Problem)) throw error;
    if (output) say(indent(whatMatters(output)));
    say(indent(error.message));
    throw new TaskFailed(title);
  }
}

/** Runs a script: a problem prints one clear message, and any failure sets exit code 1. */
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
