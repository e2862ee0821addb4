// What a reader of a failure needs of a program's output.

import { stripVTControlCharacters as plain } from "node:util";

/** Lines of a failure that are shown: the last ones. */
const SHOWN_LINES = 400;

/** Lines that only say that something goes on or went well: of cargo, its tests, npm and vitest. */
const PROGRESS = [
  /^\s+(Blocking|Checking|Compiling|Doc-tests|Documenting|Downloaded|Downloading|Finished|Fresh|Locking|Running|Updating) /,
  /^test .* \.\.\. (ok|ignored)/,
  /^(running \d+ tests?|test result: ok\..*)$/,
  /^\s*(✓|✔|ok \d+) /,
  /^\s*$/,
];

/** The output without lines of progress, or its last lines if it is long. */
export function whatMatters(output) {
  const lines = output.split(/\r?\n/);
  const kept = lines.filter((line) => !PROGRESS.some((pattern) => pattern.test(plain(line))));
  const shown = kept.slice(-SHOWN_LINES);
  const omitted = kept.length - shown.length;
  return [...(omitted > 0 ? [`(${omitted} lines before these)`] : []), ...shown].join("\n");
}
