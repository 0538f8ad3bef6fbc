/** Numbers that look random and come again with the same seed (mulberry32). */
export interface Random {
  /** A whole number from 0 to one less than the bound. */
  below(bound: number): number;
  pick<T>(choices: readonly T[]): T;
  /** True once in so many times. */
  once(times: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    pick: (choices) => choices[below(choices.length)]!,
    once: (times) => below(times) === 0,
  };
}
