// Shows progress: a live line on a terminal, otherwise a line every 15 seconds.

import { cyan, dim, duration, fit, green, live, red, say } from "./terminal.mjs";

const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const QUIET_MILLISECONDS = 15_000;

/**
 * Shows `title` until `done` or `failed` is called.
 *
 * `note` sets the text after the title, usually the last line that a command printed.
 */
export function progress(title) {
  const start = Date.now();
  const elapsed = () => Date.now() - start;
  let note = "";
  let frame = 0;

  function redraw() {
    frame = (frame + 1) % FRAMES.length;
    const head = `${FRAMES[frame]} ${title}  ${duration(elapsed())}`;
    const space = (process.stdout.columns || 80) - head.length - 5;
    const tail = space > 10 ? dim(fit(note, space)) : "";
    const time = dim(duration(elapsed()));
    process.stdout.write(`\r\x1b[2K  ${cyan(FRAMES[frame])} ${title}  ${time}  ${tail}`);
  }

  function report() {
    say(`  … ${title}: ${duration(elapsed())}${note && `  (${fit(note, 60)})`}`);
  }

  const timer = live ? setInterval(redraw, 100) : setInterval(report, QUIET_MILLISECONDS);

  function end(mark, remark) {
    clearInterval(timer);
    if (live) process.stdout.write("\r\x1b[2K");
    say(`  ${mark} ${title}  ${dim(duration(elapsed()))}${remark ? `  ${dim(remark)}` : ""}`);
  }

  return {
    elapsed,
    note: (text) => void (note = text),
    done: (remark = "") => end(green("✓"), remark),
    failed: (remark = "") => end(red("✗"), remark),
  };
}
