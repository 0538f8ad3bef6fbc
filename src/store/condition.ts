/** How the storage of a log fares, for those who operate it. */
export interface Condition {
  /** What a backend measures, like `freeBytes`; it leaves out what it does not know. */
  readonly figures: { readonly [name: string]: number };
  /** What is past a bound or fails though nothing is refused for it, as a sentence each. */
  readonly warnings: readonly string[];
}
