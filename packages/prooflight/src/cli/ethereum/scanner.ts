/** Reads a text from its beginning to its end. */

import { refuse } from "../../error.js";

/** A position in a text of the user. Spaces between its parts mean nothing. */
export class Scanner {
  readonly #text: string;
  readonly #what: string;
  #at = 0;

  /** `what` names the text in errors. */
  constructor(text: string, what: string) {
    this.#text = text;
    this.#what = what;
    this.#skipSpaces();
  }

  /** Takes what a sticky expression matches here, if it matches. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return undefined;
    this.#at += found.length;
    this.#skipSpaces();
    return found;
  }

  /** Takes what a sticky expression matches here, if `read` makes something of it. */
  matchAs<T>(pattern: RegExp, read: (found: string) => T | undefined): T | undefined {
    const before = this.#at;
    const found = this.match(pattern);
    const value = found === undefined ? undefined : read(found);
    if (value === undefined) this.#at = before;
    return value;
  }

  /** Whether a character is here. */
  isAt(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  /** Takes a character if it is here. */
  take(character: string): boolean {
    if (!this.isAt(character)) return false;
    this.#at += 1;
    this.#skipSpaces();
    return true;
  }

  /** Takes a character that must be here. */
  expect(character: string): void {
    if (!this.take(character)) throw this.refusal(`"${character}"`);
  }

  /** Checks that nothing is left. */
  end(): void {
    if (this.#at < this.#text.length) throw this.refusal("its end");
  }

  /** The refusal of what is here. */
  refusal(expected: string) {
    const rest = this.#text.slice(this.#at);
    const shown = rest.length > 40 ? `${rest.slice(0, 40)}…` : rest;
    const found = rest === "" ? "its end" : JSON.stringify(shown);
    return refuse("invalid_argument", `${expected} in ${this.#what}`, found);
  }

  #skipSpaces(): void {
    while (this.#text[this.#at] === " ") this.#at += 1;
  }
}
