/**
 * Whether the tests run in full: every row through every client, every size as it is in service.
 * Without it they run in a form that finds nearly all of that in a fraction of the time.
 */
export const isFull = process.env.IAM_TEST_ALL === "1";

/**
 * How much longer tests wait in full, where a machine may be busy: what they wait for comes, and
 * how soon is no matter of theirs.
 */
export const patience = isFull ? 6 : 1;

/** The rows of a table that each take long: in full all of them, else the first ones. */
export function shortened<Row>(rows: readonly Row[], count = 1): readonly Row[] {
  return isFull ? rows : rows.slice(0, count);
}

/** How many examples a property is tried with: in full as many, else a twentieth of them. */
export function runs(count: number): number {
  return isFull ? count : Math.ceil(count / 20);
}

/** The one whose turn it is; another one in each round, so that no pattern in a table recurs. */
export function turnOf<T>(all: readonly T[], index: number): T {
  return all[(index + Math.floor(index / all.length)) % all.length]!;
}

/** Every eighth row of a table of many that are alike; in full all of them. */
export function sampled<Row>(rows: readonly Row[]): readonly Row[] {
  return isFull ? rows : rows.filter((_row, index) => index % 8 === 0);
}
