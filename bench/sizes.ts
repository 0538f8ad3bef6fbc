/** How long each measurement is, and how often it is repeated. */
export interface Pace {
  readonly repetitions: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** How much is measured. */
export interface Size {
  readonly pace: Pace;
  /** People with a password that are imported at once. */
  readonly importsInFlight: number;
  /** Calls of each kind in one of the runs after which memory is looked at, and the rest after. */
  readonly memoryCalls: number;
  readonly restMs: number;
  /** How often each start is measured. */
  readonly starts: number;
  /** How many events the stores hold that are compared with an empty one, the largest last. */
  readonly grownEvents: readonly number[];
  /** Calls of each kind in one measurement of a store. */
  readonly grownCalls: { readonly create: number; readonly read: number; readonly list: number };
  /** Who watches while others create. */
  readonly watchers: number;
  /** Calls that are profiled. */
  readonly profiledCalls: number;
  /** Objects of each kind that are created in one measurement of what is written. */
  readonly writtenCalls: number;
  /** People who are imported by `bench/users.ts`. */
  readonly users: number;
  /** People who are erased one after the other. */
  readonly erasedPeople: number;
  /** Events of the log that a node of another revision takes over. */
  readonly rollingEvents: number;
  /** People who are granted one role, and grants that one measurement adds. */
  readonly grantedPeople: number;
  readonly addedGrants: number;
}

/** The sizes by their names. */
export const sizes = {
  full: {
    pace: { repetitions: 3, warmUpMs: 250, measureMs: 2_500 },
    importsInFlight: 50,
    memoryCalls: 10_000,
    restMs: 1_000,
    starts: 7,
    grownEvents: [100_000, 1_000_000],
    grownCalls: { create: 3_000, read: 10_000, list: 50 },
    watchers: 500,
    profiledCalls: 20_000,
    writtenCalls: 20_000,
    users: 100_000,
    erasedPeople: 10_000,
    rollingEvents: 1_000_000,
    grantedPeople: 100_000,
    addedGrants: 200,
  },
  quick: {
    pace: { repetitions: 2, warmUpMs: 50, measureMs: 400 },
    importsInFlight: 50,
    memoryCalls: 3_000,
    restMs: 1_000,
    starts: 3,
    grownEvents: [100_000],
    grownCalls: { create: 1_000, read: 3_000, list: 20 },
    watchers: 500,
    profiledCalls: 5_000,
    writtenCalls: 5_000,
    users: 10_000,
    erasedPeople: 1_000,
    rollingEvents: 100_000,
    grantedPeople: 10_000,
    addedGrants: 200,
  },
  smoke: {
    pace: { repetitions: 1, warmUpMs: 0, measureMs: 10 },
    importsInFlight: 2,
    memoryCalls: 64,
    restMs: 0,
    starts: 1,
    grownEvents: [400],
    grownCalls: { create: 64, read: 64, list: 2 },
    watchers: 20,
    profiledCalls: 200,
    writtenCalls: 64,
    users: 200,
    erasedPeople: 20,
    rollingEvents: 2_000,
    grantedPeople: 200,
    addedGrants: 8,
  },
} as const satisfies { readonly [name: string]: Size };

export type SizeName = keyof typeof sizes;

/** What the usages say of the option. */
export const sizeUsage = `  --size SIZE     full, quick (for developing, not for quoting), or smoke,
                  which shows in seconds that it works, and nothing else [full]`;

/** The name where it is that of a size; throws a sentence where it is not. */
export function sizeNamed(name: string): SizeName {
  if (name in sizes) return name as SizeName;
  throw new Error(`--size is one of ${Object.keys(sizes).join(", ")}, not ${name}`);
}
