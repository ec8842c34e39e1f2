// Names from outside looked up in an object: `constructor` and `toString` are names like any other, and every object has them.

/** What an object itself has under a name. */
export function own<T>(values: { readonly [name: string]: T }, name: string): T | undefined {
    return Object.hasOwn(values, name) ? values[name] : undefined;
}
