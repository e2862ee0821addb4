// Small pieces of the page: numbers, elements, and hexadecimal with marked differences.

export const number = (value: number): string => value.toLocaleString("en");

export const plural = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Microseconds, rounded to about three digits: more are noise. */
export const time = (microseconds: number): string =>
  `${microseconds.toLocaleString("en", { maximumSignificantDigits: 3 })} µs`;

export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** An element with its children and, if given, its classes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  children: readonly (string | Node)[] | string,
  classes?: string,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.append(...(typeof children === "string" ? [children] : children));
  if (classes) made.className = classes;
  return made;
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
