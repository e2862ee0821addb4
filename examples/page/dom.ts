// What the pages of the examples share: elements, numbers and texts.

export type Content = readonly (string | Node)[] | string;

export const number = (value: number | bigint): string => value.toLocaleString("en");

/** An amount in its smallest units, in the unit that has so many decimals. */
export function decimals(amount: bigint, count: number): string {
  if (count === 0) return number(amount);
  const digits = String(amount).padStart(count + 1, "0");
  const fraction = digits.slice(-count).replace(/0+$/, "");
  return `${number(BigInt(digits.slice(0, -count)))}${fraction && `.${fraction}`}`;
}

export const plural = (count: number | bigint, noun: string, nouns = `${noun}s`): string =>
  `${number(count)} ${Number(count) === 1 ? noun : nouns}`;

export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

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
  if (2 * (end - start) > text.length) return [text]; // not similar: a mark would be useless
  return [text.slice(0, start), element("mark", text.slice(start, end)), text.slice(end)];
}

/** A part of the HTML. */
export function find(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

export const input = (id: string): HTMLInputElement => find(id) as HTMLInputElement;
export const select = (id: string): HTMLSelectElement => find(id) as HTMLSelectElement;
export const button = (id: string): HTMLButtonElement => find(id) as HTMLButtonElement;

/** Shows the state of the page's verdict with its icon, its title and its text. */
export function showState(state: string, title: Content, text: string): void {
  find("verdict").dataset.state = state;
  find("verdict-icon").setAttribute("href", `#${state}`);
  fill(find("verdict-title"), title);
  fill(find("verdict-text"), text);
}
