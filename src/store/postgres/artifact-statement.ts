import type { ArtifactRow } from "../chain/artifact-mac.ts";
import type { PlannedArtifacts } from "./artifact-plan.ts";
import { served } from "./revision.ts";

/** A statement with its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The columns of a row of artifacts. */
export const columns = "key, alias, family, payload, expires, uses, mac";

/** The types of them, in order, as names of what each row has. */
const types = {
  ...{ key: "text", alias: "text", family: "text", payload: "text" },
  ...{ expires: "bigint", uses: "bigint", mac: "bytea" },
} as const satisfies { readonly [name in keyof ArtifactRow]: string };

/** What a statement fails with that has done a part, to have that undone: a division by zero. */
export const undoing = "22012";

/**
 * The statement that keeps rows which are new, or are still as they were read, and removes others;
 * undefined where there is nothing to write. It answers whether `all` was done, and fails where a
 * part was. It has those parts alone that it needs: the database plans it each time.
 *
 * Rows are locked in the order of their keys, so that no two wait for each other. Of rows of a kind
 * that are too many, those that somebody else removes at the same time are left to that.
 */
export function statementOf(planned: PlannedArtifacts): Statement | undefined {
  const { changed, added, removed, families, room } = planned;
  const values: unknown[] = [];
  const list = (type: string, items: readonly unknown[]) => `$${values.push(items)}::${type}[]`;
  const given = (rows: readonly ArtifactRow[]) =>
    Object.entries(types).map(([name, type]) =>
      list(
        type,
        rows.map((row) => row[name as keyof ArtifactRow]),
      ),
    );
  const kept = [...changed, ...added].map(({ key }) => key);
  const parts: string[] = [];
  const [writing, removing]: [string[], string[]] = [[], []];
  if (changed.length > 0) {
    const macs = list(
      "bytea",
      changed.map(({ before }) => before),
    );
    parts.push(`given AS MATERIALIZED (
      SELECT * FROM unnest(${given(changed).join(", ")}, ${macs}) AS g(${columns}, before))`);
    if (changed.length > 1) parts.push(`locked AS MATERIALIZED (${lockText})`);
    parts.push(`changed AS (${changeText(changed.length > 1 ? "locked" : "given")})`);
    writing.push("changed");
  }
  if (added.length > 0) {
    parts.push(`added AS (
      INSERT INTO iam.artifacts (${columns})
        SELECT * FROM unnest(${given(added).join(", ")}) AS g(${columns}) ORDER BY key
        ON CONFLICT (key) DO NOTHING RETURNING 1)`);
    writing.push("added");
  }
  if (removed.length + families.length > 0) {
    parts.push(`removed AS (
      DELETE FROM iam.artifacts
        WHERE (key = ANY (${list("text", removed)}) OR family = ANY (${list("text", families)}))
          AND key <> ALL (${list("text", kept)}) RETURNING 1)`);
    removing.push("removed");
  }
  if (room.length > 0) {
    const [ofFamilies, kinds, most] = [
      list(
        "text",
        room.map(({ family }) => family),
      ),
      list(
        "text",
        room.map(({ kind }) => kind),
      ),
      list(
        "bigint",
        room.map((one) => one.most),
      ),
    ];
    parts.push(
      `trimmed AS (${trimText(`unnest(${ofFamilies}, ${kinds}, ${most})`, list("text", kept))})`,
    );
    removing.push("trimmed");
  }
  if (parts.length === 0) return undefined;
  return {
    text: `WITH ${[served, ...parts].join(", ")} ${doneText(writing, removing, kept.length)}`,
    values,
  };
}

const lockText = `
  SELECT g.* FROM given g JOIN iam.artifacts a ON a.key = g.key AND a.mac = g.before
    ORDER BY a.key FOR UPDATE OF a`;

const changeText = (rows: "given" | "locked") => `
  UPDATE iam.artifacts a SET alias = g.alias, family = g.family, payload = g.payload,
      expires = g.expires, uses = g.uses, mac = g.mac
    FROM ${rows} g WHERE a.key = g.key AND a.mac = g.before RETURNING 1`;

const trimText = (rooms: string, kept: string) => `
  DELETE FROM iam.artifacts WHERE key IN (
    SELECT key FROM iam.artifacts WHERE key = ANY (ARRAY(
      SELECT o.key FROM ${rooms} AS r(family, kind, most) CROSS JOIN LATERAL (
        SELECT a.key FROM iam.artifacts a
          WHERE a.family = r.family AND starts_with(a.key, r.kind) AND a.key <> ALL (${kept})
          ORDER BY a.expires DESC, a.key OFFSET r.most) AS o)) FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

/** Whether as many rows were kept as wanted; where but a part was done, the statement fails. */
function doneText(writing: readonly string[], removing: readonly string[], wanted: number): string {
  const sum = (names: readonly string[]) =>
    ["0", ...names.map((name) => `(SELECT count(*) FROM ${name})`)].join(" + ");
  return `SELECT CASE WHEN kept = ${wanted} THEN true WHEN kept + gone = 0 THEN false
      ELSE 1 / (kept - kept) > 0 END AS all
    FROM (SELECT ${sum(writing)} AS kept, ${sum(removing)} AS gone OFFSET 0) AS done`;
}
