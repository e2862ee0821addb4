// node crates/testing/bench/log/chart.mjs [LOG.json [PICTURE.svg]]: draws what more readers of one log add, as measure.mjs
// measured it.

import { readFileSync, writeFileSync } from "node:fs";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { draw } from "../figures/draw.mjs";

const COLOURS = { avl: "#0b6e4f", smt: "#c1121f" };

const PANELS = [
  ["Proofs of 100 keys a second, all readers", "proofs a second"],
  ["Processor time of a proof, ms", "processor ms a proof"],
  ["Cores that the readers take", "cores, readers"],
];

const [
  file = inside("crates", "testing", "bench", "log", "log.json"),
  picture = inside("docs", "images", "readers.svg"),
] = process.argv.slice(2);
const { rows } = JSON.parse(readFileSync(file, "utf8")).readers;

const lines = (member) => {
  const of = (scheme) => rows.filter((row) => row.scheme === scheme);
  const points = (scheme) => of(scheme).map((row) => [row.readers, row[member]]);
  return new Map(Object.keys(COLOURS).map((scheme) => [scheme, points(scheme)]));
};

writeFileSync(
  picture,
  draw(
    PANELS.map(([title, member]) => [title, "readers", lines(member)]),
    COLOURS,
  ),
);
