// node crates/bench/figures/chart.mjs [FIGURES.json [PICTURE.svg]]: draws what `prooflight-bench --figures --save`
// measured, with logarithmic axes.

import { readFileSync, writeFileSync } from "node:fs";

import { inside } from "../../../scripts/lib/paths.mjs";

const COLOURS = {
  amb: "#0b6e4f",
  "S-Store": "#c1121f",
  MBT: "#e09f3e",
  "MBT, more buckets": "#9c6644",
  MPT: "#6a4c93",
  smt: "#1d6fb8",
};
/** The size of a panel, and the margins around its axes. */
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [360, 250, 56, 34, 22, 36];
const COLUMNS = 3;
const LEGEND = 34;

const [
  file = inside("crates", "bench", "figures", "figures.json"),
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
writeFileSync(picture, draw());

/** Points as a map from a side to its points. */
function lines(points) {
  const sides = Object.keys(COLOURS).map((side) => [
    side,
    points.filter(([of]) => of === side).map(([, x, y]) => [x, y]),
  ]);
  return new Map(sides.filter(([, own]) => own.length > 0));
}

function draw() {
  const rows = Math.ceil(panels.length / COLUMNS);
  const [width, height] = [COLUMNS * WIDTH, rows * HEIGHT + LEGEND];
  const placed = panels.map((it, at) => {
    const [x, y] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${panel(...it)}\n</g>`;
  });
  const names = Object.entries(COLOURS).map(([side, colour], at) => {
    const [x, y] = [LEFT + at * 165, height - LEGEND / 2];
    const line = `<path d="M${x} ${y - 4}h22" stroke="${colour}" stroke-width="3"/>`;
    return `${line}<text x="${x + 28}" y="${y}">${side}</text>`;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`;
  const style = 'font-family="sans-serif" font-size="12" fill="#222"';
  const ground = `<rect width="${width}" height="${height}" fill="#fff"/>`;
  return `${[`${head} ${style}>`, ground, ...placed, ...names, "</svg>"].join("\n")}\n`;
}

function panel(title, unit, all) {
  const points = [...all.values()].flat();
  const [left, right] = [0, 1].map((axis) => {
    const values = points.map((it) => it[axis]);
    return [Math.min(...values), Math.max(...values)];
  });
  const x = scale(left, LEFT, WIDTH - RIGHT);
  const y = scale(decades(right), HEIGHT - BOTTOM, TOP);
  const horizontal = powers(decades(right)).map(
    (it) =>
      `<path d="M${LEFT} ${y(it)}H${WIDTH - RIGHT}" stroke="#ddd"/>` +
      `<text x="${LEFT - 6}" y="${y(it) + 4}" text-anchor="end">${short(it)}</text>`,
  );
  const ticks = powers(left).map(
    (it) =>
      `<path d="M${x(it)} ${HEIGHT - BOTTOM}v4" stroke="#222"/>` +
      `<text x="${x(it)}" y="${HEIGHT - BOTTOM + 17}" text-anchor="middle">${short(it)}</text>`,
  );
  const drawn = [...all].map(([side, own]) => {
    const path = own.map(([h, v], at) => `${at ? "L" : "M"}${x(h)} ${y(v)}`).join("");
    const dots = own.map(([h, v]) => `<circle cx="${x(h)}" cy="${y(v)}" r="2.5"/>`).join("");
    const line = `<path d="${path}" fill="none" stroke="${COLOURS[side]}" stroke-width="2"/>`;
    return `${line}<g fill="${COLOURS[side]}">${dots}</g>`;
  });
  return [
    `<text x="${LEFT}" y="20" font-weight="bold">${title}</text>`,
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 4}" text-anchor="end">${unit}</text>`,
    ...horizontal,
    ...ticks,
    ...drawn,
  ].join("\n");
}

/** Maps a range of numbers onto a range of pixels, by their logarithms. */
function scale([least, most], from, to) {
  const width = Math.log(most / least) || 1;
  return (it) => Math.round((from + (Math.log(it / least) / width) * (to - from)) * 10) / 10;
}

/** The range, widened to powers of ten. */
function decades([least, most]) {
  return [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most))];
}

/** The powers of ten in a range. */
function powers([least, most]) {
  const first = Math.ceil(Math.log10(least) - 1e-9);
  const count = Math.floor(Math.log10(most) + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, at) => 10 ** (first + at));
}

function short(number) {
  if (number >= 1e6) return `${number / 1e6} M`;
  return number >= 1e3 ? `${number / 1e3} k` : `${number}`;
}
