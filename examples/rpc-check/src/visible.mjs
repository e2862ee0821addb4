/**
 * Text that is safe to print: control characters, which terminals obey, characters that change the direction of text,
 * and marks like this program's own are escaped as in JSON. Otherwise a server could forge a line of its output.
 */
export function visible(text) {
  return String(text).replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{So}\u221a]/gu, escaped);
}

/** JSON in lines; `JSON.stringify` itself escapes most control characters, but not all. */
export function visibleJson(value) {
  return JSON.stringify(value, undefined, 2).replace(
    /[\u007f-\u009f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    escaped,
  );
}

const escaped = (character) =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
