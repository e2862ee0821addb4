/** A module of Node, loaded without an import, which browsers' bundlers would follow; undefined elsewhere. */
export function nodeModule(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name);
}
