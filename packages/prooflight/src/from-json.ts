/** The type that JSON of a `T` has where it is imported as a module: its strings may be any. Each `T` is one, too. */
export type FromJson<T> = T extends string
  ? string
  : T extends object
    ? { readonly [Member in keyof T]: FromJson<T[Member]> }
    : T;
