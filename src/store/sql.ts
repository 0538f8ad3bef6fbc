/** A piece of SQL with a question mark for each of the values that are bound to it, in order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly Value[];
}

/** A value that can be bound. */
export type Value = string | number | bigint | readonly string[] | readonly bigint[];

/**
 * The tag of a template that makes a piece of SQL. What is inserted is another piece or a value,
 * which is bound: no value ever becomes part of the text.
 */
export function sql(texts: TemplateStringsArray, ...inserted: readonly (Sql | Value)[]): Sql {
  const pieces = inserted.map((each) => (isPiece(each) ? each : { text: "?", values: [each] }));
  return {
    text: texts.map((text, i) => text + (pieces[i]?.text ?? "")).join(""),
    values: pieces.flatMap(({ values }) => values),
  };
}

function isPiece(inserted: Sql | Value): inserted is Sql {
  return typeof inserted === "object" && "text" in inserted;
}
