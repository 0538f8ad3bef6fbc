import { erasedPayload, erasingAllTypes, erasingTypes } from "../erasure.ts";
import { settings } from "./turns.ts";

/** What is set to erase the event `e`. */
export const toErased = [
  `payload = '${erasedPayload}'`,
  "salt = sha256(e.salt || convert_to(e.payload, 'UTF8'))",
].join(", ");

/** Whether `last` erases an event `e` before it in its stream: the rule of `erasureOf`. */
export const isErasedByLast = `CASE
          WHEN last.type ~ '${erasingAllTypes}' THEN true
          WHEN last.type ~ '${erasingTypes}' THEN e.type = last.type
            OR e.version <= (last.payload::jsonb->>'through')::bigint
              AND last.payload::jsonb->'types' ? e.type
          ELSE false END`;

/** The function by which an append erases. */
export const eraseFunction = `
  -- Erases what the last event of a stream erases, in the transaction that appended it.
  -- The serving role may change no event in another way.
  CREATE FUNCTION derived.erase(p_stream text) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER
  ${settings}
  AS $function$
  BEGIN
    UPDATE iam.events e
      SET ${toErased}
      FROM (SELECT l.version, l.type, l.payload, l.xmin AS written,
          -- An event that erased all: nothing is left of those before it.
          coalesce((SELECT a.version FROM iam.events a
            WHERE a.stream = p_stream AND a.version < l.version AND a.type ~ '${erasingAllTypes}'
            ORDER BY a.version DESC LIMIT 1), 1) AS since
        FROM iam.events l WHERE l.stream = p_stream ORDER BY l.version DESC LIMIT 1) AS last
      WHERE e.stream = p_stream AND e.version >= last.since AND e.version < last.version
        AND e.payload <> '${erasedPayload}'
        AND last.written = pg_current_xact_id()::xid
        AND ${isErasedByLast};
  END
  $function$;`;
