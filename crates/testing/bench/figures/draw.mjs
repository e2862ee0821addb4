// Panels of lines with logarithmic axes, as a picture in SVG.

/** The size of a panel, and the margins around its axes. */
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [360, 250, 56, 34, 22, 36];
const COLUMNS = 3;
const LEGEND = 34;

/** Draws panels, each a title, the unit of its horizontal axis, and a map from a name to its points. */
export function draw(panels, colours) {
  const rows = Math.ceil(panels.length / COLUMNS);
  const [width, height] = [COLUMNS * WIDTH, rows * HEIGHT + LEGEND];
  const placed = panels.map((it, at) => {
    const [x, y] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${panel(colours, ...it)}\n</g>`;
  });
  const names = Object.entries(colours).map(([side, colour], at) => {
    const [x, y] = [LEFT + at * 165, height - LEGEND / 2];
    const line = `<path d="M${x} ${y - 4}h22" stroke="${colour}" stroke-width="3"/>`;
    return `${line}<text x="${x + 28}" y="${y}">${side}</text>`;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`;
  const style = 'font-family="sans-serif" font-size="12" fill="#222"';
  const ground = `<rect width="${width}" height="${height}" fill="#fff"/>`;
  return `${[`${head} ${style}>`, ground, ...placed, ...names, "</svg>"].join("\n")}\n`;
}

function panel(colours, title, unit, all) {
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
  // A short range has hardly any power of ten.
  const marks = left[1] / left[0] < 100 ? [...new Set(points.map(([it]) => it))] : powers(left);
  const ticks = marks.map(
    (it) =>
      `<path d="M${x(it)} ${HEIGHT - BOTTOM}v4" stroke="#222"/>` +
      `<text x="${x(it)}" y="${HEIGHT - BOTTOM + 17}" text-anchor="middle">${short(it)}</text>`,
  );
  const drawn = [...all].map(([side, own]) => {
    const path = own.map(([h, v], at) => `${at ? "L" : "M"}${x(h)} ${y(v)}`).join("");
    const dots = own.map(([h, v]) => `<circle cx="${x(h)}" cy="${y(v)}" r="2.5"/>`).join("");
    const line = `<path d="${path}" fill="none" stroke="${colours[side]}" stroke-width="2"/>`;
    return `${line}<g fill="${colours[side]}">${dots}</g>`;
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
