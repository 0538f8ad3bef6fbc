// How statements find lists and the claims in them. A look-up is a subquery of its own, so that no
// plan reads a whole table for it, however many rows the planner thinks there are.

/**
 * That a row is a claim, where all of a list are looked at. For a comparison with the column itself
 * PostgreSQL 18 would skip from text to text in the index, by its estimate through the whole table.
 */
export const isClaim = (row: string) => `${row}.tie + 0 = 0`;

/** The number of the list with the `kind`, `name` and `parent` of a row; NULL without one. */
export const numberOf = (row: string) => `(SELECT i.number FROM derived.lists i
  WHERE i.kind = ${row}.kind AND i.name = ${row}.name AND i.parent = ${row}.parent)`;

/** That a row `t` of texts has the `text` of another, by what the index has of it. */
export const sameText = (row: string) =>
  `left(t.text, 200) = left(${row}.text, 200) AND t.text = ${row}.text`;

/** The stream that holds the claim of the `text` in that list; NULL where none does. */
export const holderOf = (row: string) => `(SELECT e.stream FROM derived.texts t
  JOIN iam.events e ON e.position = t.first
  WHERE t.list = ${numberOf(row)} AND ${sameText(row)} AND t.tie = 0)`;

/** The statement that makes the lists of rows that are missing, in a transaction with the lock. */
export const addLists = (rows: string) => `
  INSERT INTO derived.lists (number, kind, name, parent)
    SELECT (SELECT coalesce(max(number), 0) FROM derived.lists) + row_number() OVER (), n.*
      FROM (SELECT DISTINCT kind, name, parent FROM ${rows}) AS n WHERE ${numberOf("n")} IS NULL`;
