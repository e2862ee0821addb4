// The chart of an account's amounts, block by block. It is only a drawing: the points are buttons on top of it.

import {
  Chart,
  type ChartOptions,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
} from "chart.js";

import { readAmount, showAmount } from "../account.js";
import { type Past, stepsOf } from "../past.js";
import { find, number } from "./dom.js";

Chart.register(LineController, LineElement, PointElement, LinearScale);

interface Point {
  x: number;
  y: number;
}

let chart: Chart<"line", Point[]> | undefined;

/** The position of a block and an amount in the chart. */
type Place = (block: bigint, cents: bigint) => Point;

let listener: (place: Place) => void = () => undefined;

/** Draws a past; `placed` is called whenever positions change. */
export function drawChart(past: Past, placed: (place: Place) => void): void {
  listener = placed;
  const data = { datasets: [lineOf(past), averageOf(past)] };
  const options = optionsFor(past);
  if (!chart) {
    const canvas = find("canvas") as HTMLCanvasElement;
    chart = new Chart(canvas, {
      type: "line",
      data,
      options,
      plugins: [{ id: "places", afterDraw }],
    });
    return;
  }
  chart.data = data;
  chart.options = options;
  chart.update("none");
}

function afterDraw({ scales: { x, y } }: Chart): void {
  listener((block, cents) => ({
    x: x?.getPixelForValue(Number(block)) ?? 0,
    y: y?.getPixelForValue(Number(cents)) ?? 0,
  }));
}

function optionsFor({ history }: Past): ChartOptions<"line"> {
  const [min, max] = [Number(history.from.height), Number(history.to.height)];
  const [text, lines] = [colour("--muted"), colour("--line")];
  const font = { family: getComputedStyle(document.body).fontFamily };
  const ticks = { color: text, precision: 0, maxRotation: 0, font };
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    events: [],
    layout: { padding: { top: 10, right: 12 } },
    elements: { point: { radius: 0 } },
    scales: {
      x: {
        type: "linear",
        min,
        max: Math.max(max, min + 1),
        title: { display: true, text: "block", color: text, font },
        grid: { display: false },
        border: { color: lines },
        ticks: { ...ticks, callback: (block) => number(Number(block)) },
      },
      y: {
        type: "linear",
        grace: "8%",
        grid: { color: lines },
        border: { display: false },
        ticks: {
          ...ticks,
          maxTicksLimit: 6,
          callback: (cents) => showAmount(BigInt(Math.round(Number(cents)))),
        },
      },
    },
  };
}

/** A line that keeps each amount until the next change, with gaps where there is no amount. */
function lineOf({ history }: Past) {
  const { from, to, entering } = history;
  const nothing = Number.NaN;
  const line: Point[] = [];
  let last = nothing;
  const add = (height: bigint, amount: bigint | undefined) => {
    const x = Number(height);
    if (amount === undefined && !Number.isNaN(last)) line.push({ x, y: last });
    last = amount === undefined ? nothing : Number(amount);
    line.push({ x, y: last });
  };
  if (entering?.kind === "present") add(from.height, readAmount(entering.value));
  for (const { block, amount } of stepsOf(history)) add(block.height, amount);
  line.push({ x: Number(to.height), y: last });
  return {
    data: line,
    stepped: true,
    borderColor: colour("--accent"),
    borderWidth: 2,
  };
}

function averageOf({ history, average }: Past) {
  const ends = [history.from.height, history.to.height].map(Number);
  const known = average !== undefined && average.coveredMs > 0n;
  const y = known ? Number(average.sum) / Number(average.coveredMs) : Number.NaN;
  return {
    data: known ? ends.map((x) => ({ x, y })) : [],
    borderColor: colour("--muted"),
    borderWidth: 1.5,
    borderDash: [5, 5],
  };
}

const colour = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
