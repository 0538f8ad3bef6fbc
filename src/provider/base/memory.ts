/** Values by name, of which the process remembers those that weigh so much together. */
export interface Memory<Value> {
  get(name: string): Value | undefined;
  /** Remembers a value in place of the one that has the name. */
  keep(name: string, value: Value, weight?: number): void;
  forget(name: string): void;
}

/** Makes a memory; of what weighs more than the most, the values kept first are forgotten. */
export function createMemory<Value>(most: number): Memory<Value> {
  const known = new Map<string, readonly [value: Value, weight: number]>();
  let all = 0;

  function forget(name: string): void {
    all -= known.get(name)?.[1] ?? 0;
    known.delete(name);
  }

  return {
    get: (name) => known.get(name)?.[0],
    keep(name, value, weight = 1) {
      all += weight - (known.get(name)?.[1] ?? 0);
      // A name may be a part of a whole request, which would stay with it.
      known.set(structuredClone(name), [value, weight]);
      for (const first of known.keys()) {
        if (all <= most) return;
        forget(first);
      }
    },
    forget,
  };
}
