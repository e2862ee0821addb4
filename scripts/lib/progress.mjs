// Shows progress: one live line of all that runs on a terminal, otherwise a line for each every 15 seconds.

import { cyan, dim, duration, fit, green, live, red, say } from "./terminal.mjs";

const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const REDRAW_MILLISECONDS = 100;
const QUIET_MILLISECONDS = 15_000;

/** What runs, the oldest first: `{ title, elapsed() }`. */
const running = new Set();

/** What was noted last. */
let newest = "";
let frame = 0;
let redrawing;

/**
 * Shows `title` until `done` or `failed` is called.
 *
 * `note` sets the text after the title, usually the last line that a command printed.
 */
export function progress(title) {
  const start = Date.now();
  const elapsed = () => Date.now() - start;
  const bar = { title, elapsed };
  let note = "";
  running.add(bar);
  if (live) redrawing ??= setInterval(redraw, REDRAW_MILLISECONDS);

  function report() {
    say(`  … ${title}: ${duration(elapsed())}${note && `  (${fit(note, 60)})`}`);
  }

  const reporting = live ? undefined : setInterval(report, QUIET_MILLISECONDS);

  function end(mark, remark) {
    clearInterval(reporting);
    running.delete(bar);
    newest = "";
    if (running.size === 0) redrawing = void clearInterval(redrawing);
    if (live) process.stdout.write("\r\x1b[2K");
    say(`  ${mark} ${title}  ${dim(duration(elapsed()))}${remark ? `  ${dim(remark)}` : ""}`);
  }

  return {
    elapsed,
    note: (text) => void (newest = note = text),
    done: (remark = "") => end(green("✓"), remark),
    failed: (remark = "") => end(red("✗"), remark),
  };
}

function redraw() {
  frame = (frame + 1) % FRAMES.length;
  const times = [...running].map(({ title, elapsed }) => [title, duration(elapsed())]);
  const width = times.map((parts) => parts.join("  ")).join("   ").length;
  const space = (process.stdout.columns || 80) - width - 7;
  const tail = space > 10 ? dim(fit(newest, space)) : "";
  const heads = times.map(([title, time]) => `${title}  ${dim(time)}`).join("   ");
  process.stdout.write(`\r\x1b[2K  ${cyan(FRAMES[frame])} ${heads}  ${tail}`);
}
