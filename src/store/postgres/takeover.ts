import { raised } from "./errors.ts";
import { settings } from "./turns.ts";

/** The lock for dropping them. */
const discardLock = 4_938_271_004n;

const declared = `LANGUAGE plpgsql VOLATILE SECURITY DEFINER ${settings}`;

/** The condition that a schema belongs to who owns the log: others may have such names, too. */
const isOwn = "nspowner = (SELECT relowner FROM pg_class WHERE oid = 'iam.events'::regclass)";

/**
 * The functions by which a revision takes over from the lower ones, which the serving role may call
 * though it owns none of their tables.
 */
export const takeoverFunctions = `
  -- Has plans know the sizes of new tables. Their owner alone may do that.
  CREATE FUNCTION derived.analyze() RETURNS void
  ${declared} AS $function$
  BEGIN
    ANALYZE derived.objects, derived.texts, derived.lists, derived.counts;
  END
  $function$;

  -- Says that all has been made with this revision. From the commit on, statements of lower ones
  -- find none of their tables: a rename waits for nobody who reads them.
  CREATE FUNCTION derived.take_over() RETURNS void
  ${declared} AS $function$
  DECLARE
    own bigint := substr(split_part('derived.', '.', 1), 6);
    lower text;
  BEGIN
    IF EXISTS (SELECT FROM iam.projection WHERE abs(revision) > own) THEN
      RAISE EXCEPTION 'another revision' USING ERRCODE = '${raised.revision}';
    END IF;
    DELETE FROM iam.projection;
    INSERT INTO iam.projection VALUES (own);
    FOR lower IN SELECT nspname FROM pg_namespace WHERE ${isOwn} AND CASE
      WHEN nspname ~ '^iam_r[0-9]+$' THEN substr(nspname, 6)::numeric < own ELSE false END
    LOOP
      EXECUTE format('ALTER SCHEMA %I RENAME TO %I', lower,
        lower || '_gone' || pg_current_xact_id());
    END LOOP;
  END
  $function$;

  -- Drops what lower revisions have left. What somebody still reads is left to the next start.
  CREATE FUNCTION derived.discard(p_lock_ms integer) RETURNS void
  ${declared} AS $function$
  DECLARE
    gone text;
  BEGIN
    PERFORM set_config('lock_timeout', p_lock_ms::text, true);
    PERFORM pg_advisory_xact_lock(${discardLock});
    FOR gone IN SELECT nspname FROM pg_namespace
      WHERE ${isOwn} AND nspname ~ '^iam_r[0-9]+_gone[0-9]+$'
    LOOP EXECUTE format('DROP SCHEMA %I CASCADE', gone); END LOOP;
  EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
  END
  $function$;
`;
