/** The type of a `T` imported as a JSON module, whose strings have the type `string`. Each `T` is assignable to it. */
export type FromJson<T> = T extends string
  ? string
  : T extends object
    ? { readonly [Member in keyof T]: FromJson<T[Member]> }
    : T;
