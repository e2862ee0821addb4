// Small pieces of the page: elements, numbers and texts.

export type Content = readonly (string | Node)[] | string;

export const number = (value: number | bigint): string => value.toLocaleString("en");

export const plural = (count: number | bigint, noun: string, nouns = `${noun}s`): string =>
  `${number(count)} ${Number(count) === 1 ? noun : nouns}`;

export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Milliseconds to two digits; browsers coarsen their clocks. */
export const time = (milliseconds: number): string =>
  milliseconds < 0.1
    ? "less than 0.1 ms"
    : `${milliseconds.toLocaleString("en", { maximumSignificantDigits: 2 })} ms`;

/** A length of time in its two largest units: `2 min 5 s`. */
export function duration(milliseconds: bigint): string {
  const seconds = milliseconds / 1000n;
  if (seconds === 0n) return `${milliseconds} ms`;
  if (seconds < 60n) return `${(Number(milliseconds) / 1000).toFixed(1)} s`;
  if (seconds < 3600n) return `${seconds / 60n} min ${seconds % 60n} s`;
  return `${number(seconds / 3600n)} h ${(seconds / 60n) % 60n} min`;
}

/** How long ago something was, in the largest unit that is not too coarse. */
export function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  return `${number(Math.round(seconds / 3600))} h ago`;
}

/** An element with its children and, if given, its classes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  children: Content = [],
  classes?: string,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.append(...(typeof children === "string" ? [children] : children));
  if (classes) made.className = classes;
  return made;
}

/** Rows of a description list. */
export const rows = (facts: readonly (readonly [label: string, content: Content])[]): Node[] =>
  facts.flatMap(([label, content]) => [element("dt", label), element("dd", content)]);

/** Replaces an element's children, unless they are the same, so that a selection in it is kept. */
export function fill(parent: HTMLElement, children: Content): void {
  const next = parent.cloneNode() as HTMLElement;
  next.append(...(typeof children === "string" ? [children] : children));
  if (!next.isEqualNode(parent)) parent.replaceChildren(...next.childNodes);
}

/** A text, with its difference from a similar one marked: everything from the first to the last difference. */
export function markDifference(text: string, other: string): (string | Node)[] {
  if (text.length !== other.length || text === other) return [text];
  let start = 0;
  while (text[start] === other[start]) start += 1;
  let end = text.length;
  while (text[end - 1] === other[end - 1]) end -= 1;
  if (2 * (end - start) > text.length) return [text]; // not similar: a mark would say nothing
  return [text.slice(0, start), element("mark", text.slice(start, end)), text.slice(end)];
}

/** A part of index.html. */
export function find(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element ${id}`);
  return found;
}

export const input = (id: string): HTMLInputElement => find(id) as HTMLInputElement;
export const select = (id: string): HTMLSelectElement => find(id) as HTMLSelectElement;
export const button = (id: string): HTMLButtonElement => find(id) as HTMLButtonElement;

/** A server's address without the parts that all addresses share. */
export const place = (url: string | URL): string =>
  new URL(url).href.replace(/^https?:\/\//, "").replace(/\/$/, "");
