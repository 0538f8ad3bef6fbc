import { type Sql, sql } from "../sql.ts";
import type { Bound } from "./pool.ts";
import { toStored } from "./text.ts";

/** A piece of SQL as PostgreSQL takes it: its values have numbers. No piece has a question mark. */
export function numbered({ text, values }: Sql): {
  readonly text: string;
  readonly values: readonly Bound[];
} {
  let number = 0;
  const withNumbers = text.replaceAll("?", () => {
    number += 1;
    return `$${number}`;
  });
  return { text: withNumbers, values };
}

/** A text as a value. */
export function textOf(text: string): Sql {
  return sql`${toStored(text)}::text`;
}

/** Texts as one value. */
export function textsOf(texts: readonly string[]): Sql {
  return sql`${texts.map(toStored)}::text[]`;
}
