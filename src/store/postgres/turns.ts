// Whose turn it is among the lines of messages: what `sqlite/turns.ts` says of them holds here too.
// Writers lock messages first and turns after them, in the order of their lines, and look at what
// they have locked in a later statement, which sees what was committed before the lock. Only who
// leases takes a turn before a message: that passes over what is locked, and so waits for nobody.
// All who lease wait for each other, so that turns are fair among processes too.

/** The lock for leasing messages. */
export const leaseLock = 4_938_271_003n;

/**
 * The settings of all functions. Whatever is known of the sizes of tables, rows are looked up by
 * their keys; and what a plan without a scan is thought to cost must not have it compiled. For any
 * caller, a name is that of PostgreSQL or has its schema before it.
 */
export const settings =
  "SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off";

const declared = `LANGUAGE plpgsql VOLATILE ${settings}`;

/** The functions that keep turns, and the one that leases. */
export const turnFunctions = `
  -- Says that a message of each line is due at a time, be it a new one.
  CREATE FUNCTION derived.expect(p_types text[], p_owners text[], p_dues bigint[]) RETURNS void
  ${declared} AS $function$
  BEGIN
    PERFORM derived.lock_turns(p_types, p_owners);
    INSERT INTO iam.turns (type, owner, turn)
      SELECT m.type, m.owner, min(m.due)
        FROM unnest(p_types, p_owners, p_dues) WITH ORDINALITY AS m(type, owner, due, nth)
        GROUP BY m.type, m.owner ORDER BY min(m.nth)
      ON CONFLICT (type, owner) DO UPDATE SET turn = excluded.turn
        WHERE excluded.turn < iam.turns.turn;
  END
  $function$;

  -- Says that messages of the lines are gone or due later: their turns wait for others, if any.
  -- With the time they wait no longer than that, though a clock that was ahead gave those turns.
  CREATE FUNCTION derived.review(
    p_types text[], p_owners text[], p_now bigint DEFAULT 9223372036854775807
  ) RETURNS void
  ${declared} AS $function$
  BEGIN
    PERFORM derived.lock_turns(p_types, p_owners);
    DELETE FROM iam.turns t USING unnest(p_types, p_owners) AS l(type, owner)
      WHERE t.type = l.type AND t.owner = l.owner AND NOT EXISTS
        (SELECT 1 FROM iam.messages m WHERE m.type = t.type AND m.owner = t.owner);
    UPDATE iam.turns t SET turn = least(greatest(t.turn, line.due), greatest(line.due, p_now))
      FROM (SELECT l.type, l.owner, min(m.due) AS due
        FROM (SELECT DISTINCT type, owner FROM unnest(p_types, p_owners) AS u(type, owner)) AS l
        JOIN LATERAL (SELECT due FROM iam.messages
          WHERE type = l.type AND owner = l.owner ORDER BY due LIMIT 1) AS m ON true
        GROUP BY l.type, l.owner) AS line
      WHERE t.type = line.type AND t.owner = line.owner
        AND (t.turn < line.due OR t.turn > greatest(line.due, p_now));
  END
  $function$;

  CREATE FUNCTION derived.lock_turns(p_types text[], p_owners text[]) RETURNS void
  ${declared} AS $function$
  BEGIN
    PERFORM 1 FROM iam.turns t
      JOIN (SELECT DISTINCT type, owner FROM unnest(p_types, p_owners) AS u(type, owner)) AS l
        ON t.type = l.type AND t.owner = l.owner
      ORDER BY t.type, t.owner FOR UPDATE OF t;
  END
  $function$;

  CREATE FUNCTION derived.postpone(
    p_position bigint, p_field text, p_attempts bigint, p_due bigint
  ) RETURNS void
  ${declared} AS $function$
  DECLARE
    line record;
  BEGIN
    UPDATE iam.messages SET due = p_due
      WHERE position = p_position AND field = p_field AND attempts = p_attempts
      RETURNING type, owner INTO line;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM derived.expect(ARRAY[line.type], ARRAY[line.owner], ARRAY[p_due]);
    PERFORM derived.review(ARRAY[line.type], ARRAY[line.owner]);
  END
  $function$;

  CREATE FUNCTION derived.lease(
    p_types text[], p_now bigint, p_far bigint, p_until bigint, p_limit bigint
  ) RETURNS TABLE (nth bigint, "position" bigint, field text, attempts bigint, since bigint)
  ${declared} AS $function$
  #variable_conflict use_column
  DECLARE
    capped record;
    line record;
    is_leased boolean;
    next_due bigint;
    wanted text[] := p_types;
  BEGIN
    PERFORM pg_advisory_xact_lock(${leaseLock});
    WITH far AS (
      SELECT m.position, m.field FROM iam.messages m WHERE m.due > p_far AND m.attempts > 0
        FOR UPDATE SKIP LOCKED
    ), capped AS (
      UPDATE iam.messages m SET due = p_now FROM far
        WHERE m.position = far.position AND m.field = far.field RETURNING m.type, m.owner
    )
    SELECT array_agg(type) AS types, array_agg(owner) AS owners, array_agg(p_now) AS dues
      INTO capped FROM capped;
    IF capped.types IS NOT NULL THEN
      PERFORM derived.expect(capped.types, capped.owners, capped.dues);
    END IF;

    IF wanted IS NULL THEN wanted := ARRAY(SELECT DISTINCT type FROM iam.turns); END IF;
    nth := 0;
    WHILE nth < p_limit LOOP
      -- Each type is looked up by itself, in its part of the index.
      SELECT first.* INTO line FROM unnest(wanted) AS w(type)
        JOIN LATERAL (SELECT t.type, t.owner, t.turn, t.number FROM iam.turns t
          WHERE t.type = w.type AND t.turn <= p_now
          ORDER BY t.turn, t.number LIMIT 1 FOR UPDATE SKIP LOCKED) AS first ON true
        ORDER BY first.turn, first.number LIMIT 1;
      EXIT WHEN NOT FOUND;
      SELECT m.position, m.field, m.since INTO position, field, since FROM iam.messages m
        WHERE m.type = line.type AND m.owner = line.owner AND m.due <= p_now
        ORDER BY m.due, m.position, m.field LIMIT 1 FOR UPDATE SKIP LOCKED;
      is_leased := FOUND;
      IF is_leased THEN
        UPDATE iam.messages m SET due = p_until, attempts = m.attempts + 1
          WHERE m.position = lease.position AND m.field = lease.field
          RETURNING m.attempts INTO attempts;
        nth := nth + 1;
        RETURN NEXT;
      END IF;
      SELECT m.due INTO next_due FROM iam.messages m
        WHERE m.type = line.type AND m.owner = line.owner ORDER BY m.due LIMIT 1;
      -- Its number is the highest, so it is behind all whose turn comes at the same time.
      UPDATE iam.turns t SET number = DEFAULT, turn = greatest(p_now, next_due)
        WHERE t.type = line.type AND t.owner = line.owner;
      DELETE FROM iam.turns t
        WHERE next_due IS NULL AND t.type = line.type AND t.owner = line.owner;
      -- What is due there and was not leased is just being written by somebody else.
      EXIT WHEN NOT is_leased AND next_due <= p_now;
    END LOOP;
  END
  $function$;
`;
