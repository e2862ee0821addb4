// Prints the share of Rust's types with a name of one word, and every name that breaks a rule:
// node scripts/lib/words/count.mjs

import { say } from "../terminal.mjs";
import { MAX_SHARE, counted, faults, ofOneWord, workspaceTypes } from "./words.mjs";

const types = workspaceTypes();
const [all, short] = [counted(types).length, ofOneWord(types).length];
for (const wrong of faults(types)) say(wrong);
const percent = (share) => `${Math.round(100 * share)} %`;
say(
  `${short} of ${all} types have a name of one word: ${percent(short / all)}, at most ${percent(MAX_SHARE)} are wanted`,
);
