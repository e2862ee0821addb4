import { hexLength } from "../bytes.js";
import { describe, refuse } from "../error.js";

/** Applies edits to an input; throws `invalid_argument` if one does not fit. */
export function applyEdits(base: unknown, edits: readonly unknown[]): unknown {
  return edits.reduce(apply, base);
}

function apply(input: unknown, edit: unknown): unknown {
  check(isObject(edit), edit);
  const { at, set, remove, from, cut, put } = edit;
  check(Array.isArray(at), edit);
  const [above, last] = [at.slice(0, -1), at.at(-1) as unknown];
  switch (Object.keys(edit).sort().join()) {
    case "at,set":
      return change(input, above, edit, (parent) => {
        if (isObject(parent) && typeof last === "string") return { ...parent, [last]: set };
        return replace(parent, last, edit, () => set);
      });
    case "at,remove":
      check(remove === true, edit);
      return change(input, above, edit, (parent) => {
        check(isObject(parent) && hasItem(parent, last), edit);
        return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== last));
      });
    case "at,cut,from,put":
      check(isU32(from) && isU32(cut), edit);
      return change(input, at, edit, (value) => {
        if (Array.isArray(value)) {
          check(Array.isArray(put) && from + cut <= value.length, edit);
          const items = value as unknown[];
          return items.slice(0, from).concat(put, items.slice(from + cut));
        }
        check(isHex(value) && isHex(put) && from + cut <= hexLength(value), edit);
        return value.slice(0, 2 + 2 * from) + put.slice(2) + value.slice(2 + 2 * (from + cut));
      });
    default:
      check(false, edit);
  }
}

/** Returns a value in which the part at some steps below it is changed. */
function change(
  value: unknown,
  steps: readonly unknown[],
  edit: unknown,
  become: (value: unknown) => unknown,
): unknown {
  const [step, ...further] = steps;
  if (step === undefined) return become(value);
  return replace(value, step, edit, (item) => change(item, further, edit, become));
}

/** A copy of an object or array with an existing item replaced. */
function replace(
  parent: unknown,
  step: unknown,
  edit: unknown,
  become: (value: unknown) => unknown,
): unknown {
  check(hasItem(parent, step), edit);
  if (isObject(parent)) return { ...parent, [step as string]: become(parent[step as string]) };
  const items = parent as unknown[];
  return items.map((item, index) => (index === step ? become(item) : item));
}

/** Whether there is something at a step: a member of an object, or an item of an array. */
function hasItem(value: unknown, step: unknown): boolean {
  if (Array.isArray(value)) return isU32(step) && step < value.length;
  return isObject(value) && typeof step === "string" && Object.hasOwn(value, step);
}

function check(holds: boolean, edit: unknown): asserts holds {
  if (!holds) throw refuse("invalid_argument", "an edit that fits its base", describe(edit));
}

/** Whether it is bytes. */
export const isHex = (value: unknown): value is string =>
  typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);

/** Whether it is an integer from 0 to 2^32 - 1. */
export const isU32 = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;

/** Whether it is an object, and neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
