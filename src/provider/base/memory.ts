/** Values by name, of which the process remembers so many. */
export interface Memory<Value> {
  get(name: string): Value | undefined;
  keep(name: string, value: Value): void;
  forget(name: string): void;
}

/** Makes a memory; of more values than the most, those that were kept first are forgotten. */
export function createMemory<Value>(most: number): Memory<Value> {
  const known = new Map<string, Value>();
  return {
    get: (name) => known.get(name),
    keep(name, value) {
      // A name may be a part of a whole request, which would stay with it.
      known.set(structuredClone(name), value);
      if (known.size <= most) return;
      const [first = ""] = known.keys();
      known.delete(first);
    },
    forget: (name) => void known.delete(name),
  };
}
