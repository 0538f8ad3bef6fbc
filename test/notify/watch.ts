/** Lets a test wait for something that is going to happen, instead of for a time. */
export interface Watch {
  /** Says that something happened. */
  happened(): void;
  /** Resolves when the condition holds, looking at it whenever something happened. */
  until(condition: () => boolean): Promise<void>;
}

export function createWatch(): Watch {
  const waiting = new Set<() => void>();
  return {
    happened: () => {
      for (const look of [...waiting]) look();
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
