/**
 * The same value, of whose objects and arrays each member can be read once. Bytes, functions and objects of other
 * classes stay as they are.
 */
export function once<T>(given: T): T {
  if (!isPlain(given)) return given;
  const read = new Set<string | symbol>();
  return new Proxy(given, {
    get(target, member) {
      if (read.has(member)) throw new Error(`${String(member)} was read twice`);
      // Symbols say of what class an object is, which may be asked again.
      if (typeof member === "string") read.add(member);
      return once(Reflect.get(target, member) as unknown);
    },
  });
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
