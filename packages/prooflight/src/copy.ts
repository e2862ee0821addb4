import { viewOf } from "./bytes.js";

/** A copy of plain data, for an application that may write to it. jsdom and Hermes have no `structuredClone`. */
export function copy<T>(data: T): T;
export function copy(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map((item: unknown) => copy(item));
  const bytes = viewOf(data);
  if (bytes) return bytes.slice();
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, copy(value)]));
}
