/** A module of Node, found without an import that bundlers for browsers would trip over; elsewhere undefined. */
export function nodeModule(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name);
}
