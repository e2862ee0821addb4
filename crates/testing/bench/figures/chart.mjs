// node crates/testing/bench/figures/chart.mjs [FIGURES.json [PICTURE.svg]]: draws what `prooflight-bench --figures --save`
// measured, with logarithmic axes.

import { readFileSync, writeFileSync } from "node:fs";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { draw } from "./draw.mjs";

const COLOURS = {
  amb: "#0b6e4f",
  "S-Store": "#c1121f",
  MBT: "#e09f3e",
  "MBT, more buckets": "#9c6644",
  MPT: "#6a4c93",
  smt: "#1d6fb8",
};
const [
  file = inside("crates", "testing", "bench", "figures", "figures.json"),
  picture = inside("docs", "images", "amb-figures.svg"),
] = process.argv.slice(2);
const { sizes, history } = JSON.parse(readFileSync(file, "utf8"));

/** The lines of figures 6 and 7: a measurement beside the number of keys. */
const byKeys = (member) =>
  lines(sizes.flatMap(({ keys, sides }) => sides.map((row) => [row.side, keys, row[member]])));
/** The lines of figure 8: a measurement beside the number of versions. */
const byVersions = (member) =>
  lines(history.flatMap(({ side, points }) => points.map((it) => [side, it.versions, it[member]])));

const panels = [
  ["Get with its proof, µs", "keys", byKeys("get")],
  ["Put one by one, µs", "keys", byKeys("put_one")],
  ["Put in blocks of 10,000, µs each", "keys", byKeys("put_block")],
  ["Bytes of a Get", "keys", byKeys("bytes")],
  ["Hist with its proof, µs", "versions", byVersions("time")],
  ["Bytes of a Hist", "versions", byVersions("bytes")],
];
writeFileSync(picture, draw(panels, COLOURS));

/** Points as a map from a side to its points. */
function lines(points) {
  const sides = Object.keys(COLOURS).map((side) => [
    side,
    points.filter(([of]) => of === side).map(([, x, y]) => [x, y]),
  ]);
  return new Map(sides.filter(([, own]) => own.length > 0));
}
