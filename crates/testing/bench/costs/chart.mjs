// node crates/testing/bench/costs/chart.mjs [COSTS.json [PICTURE.svg]]: draws what a node costs as its state grows. The file has
// the lines that `cargo run -p prooflight-node --example costs` printed, in a list.

import { readFileSync, writeFileSync } from "node:fs";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { draw } from "../figures/draw.mjs";

const COLOURS = { "one chain": "#0b6e4f" };

const PANELS = [
  ["Import of a key, µs of processor time", "import of a key, µs"],
  ["Block of 10,000 updates, ms of processor time", "block of 10,000, ms"],
  ["Bytes written to disk for an update", "update, bytes written"],
  ["LVMT: proof of 100 keys, ms", "lvmt: proof of 100, ms"],
  ["SMT: proof of 100 keys, ms", "smt: proof of 100, ms"],
  ["The store and AVL+: opening, ms", "store: opening, ms", "avl: opening, ms"],
];

const [
  file = inside("crates", "testing", "bench", "costs", "costs.json"),
  picture = inside("docs", "images", "costs.svg"),
] = process.argv.slice(2);
const rows = JSON.parse(readFileSync(file, "utf8"));

const panels = PANELS.map(([title, ...members]) => {
  const total = (row) => members.reduce((sum, member) => sum + row[member], 0);
  return [title, "keys", new Map([["one chain", rows.map((row) => [row.keys, total(row)])]])];
});
writeFileSync(picture, draw(panels, COLOURS));
