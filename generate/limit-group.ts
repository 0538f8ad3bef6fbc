/** What is bounded, and what happens past it. */
export type Row = readonly [what: string, past: string];

/** Bounds that stand together in one object, each with its row. */
export interface Group {
  readonly title: string;
  readonly file: string;
  readonly limits: { readonly [name: string]: number };
  readonly rows: { readonly [name: string]: Row };
}

/** A group whose rows are those of its limits: one without a row does not compile. */
export function group<Limits extends { readonly [name in keyof Limits]: number }>(
  title: string,
  file: string,
  limits: Limits,
  rows: { readonly [name in keyof Limits]: Row },
): Group {
  return { title, file, limits, rows };
}

/** What happens past a bound where callers are told a reason. */
export function refused(reason: string): string {
  return `refused with \`${reason}\``;
}
