import { erasingTypes } from "../erasure.ts";
import { besideSteps, quotaSteps } from "./append-beside.ts";
import { claimSteps, logLock, parameters, verdict } from "./append-parameters.ts";
import { raised } from "./errors.ts";
import { addLists, holderOf, isClaim, numberOf, sameText } from "./texts.ts";
import { settings } from "./turns.ts";

const declared = Object.entries(parameters).map(([name, type]) => `p_${name} ${type}`);
/** The condition that the append of a change is written. */
const isDone = (change: string) => `verdicts[p_c_command[${change}]] = 0`;

/** The condition that the texts of a change are written, too: some may be others than before. */
const isListed = (change: string) => `${isDone(change)} AND c_listed[${change}]`;
/** The texts that are to be, of the objects whose texts are written. */
const wanted = `unnest(p_x_change, x_list, p_x_text, p_x_claim, p_x_listed)
            AS x(change, list, text, claim, listed) WHERE ${isListed("x.change")}`;

/**
 * The function that writes a batch of appends, of which no two touch the same. In READ COMMITTED
 * each statement of a VOLATILE function sees what was committed before it: so, once it has the
 * lock, it sees all that those before it have written, and those behind it see what it wrote, in
 * the order of the positions. All are checked first, then all that stand are written.
 *
 * A batch that was written is not written again: after a lost connection the caller asks once more.
 */
export const appendFunction = `
  CREATE FUNCTION derived.append(
    ${declared.join(",\n    ")},
    OUT verdicts integer[], OUT whiches integer[], OUT firsts bigint[],
    OUT head bigint, OUT link bytea
  ) LANGUAGE plpgsql VOLATILE
  ${settings}
  AS $function$
  #variable_conflict use_column
  DECLARE
    done record;
    one record;
    lines record;
    seen bytea;
    ended bigint;
    broken bytea[];
    e_position bigint[];
    e_link bytea[];
    c_first bigint[];
    c_last bigint[];
    c_created bigint[];
    c_listed boolean[];
    x_list bigint[];
    moved bigint[];
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'not read committed' USING ERRCODE = '${raised.isolation}';
    END IF;
    PERFORM set_config('lock_timeout', p_lock_ms::text, true);
    PERFORM pg_advisory_xact_lock(${logLock});

    SELECT b.* INTO done FROM iam.batches b WHERE b.id = p_batch;
    IF FOUND THEN
      verdicts := done.verdicts;
      whiches := done.whiches;
      firsts := done.firsts;
      head := done.head;
      link := done.link;
      RETURN;
    END IF;

    IF (SELECT array_agg(id) FROM iam.log) IS DISTINCT FROM ARRAY[p_log] THEN
      RAISE EXCEPTION 'another log' USING ERRCODE = '${raised.history}';
    END IF;
    IF (SELECT array_agg(revision) FROM iam.projection) IS DISTINCT FROM ARRAY[p_revision] THEN
      RAISE EXCEPTION 'another revision' USING ERRCODE = '${raised.revision}';
    END IF;
    IF p_seen_position > 0 THEN
      SELECT e.link INTO seen FROM iam.events e WHERE e.position = p_seen_position;
      IF seen IS DISTINCT FROM p_seen_link THEN
        RAISE EXCEPTION 'another past' USING ERRCODE = '${raised.history}';
      END IF;
    END IF;
    SELECT e.position, e.link, e.time INTO one FROM iam.events e ORDER BY e.position DESC LIMIT 1;
    head := coalesce(one.position, 0);
    ended := one.time;
    link := coalesce(one.link, decode(repeat('00', 32), 'hex'));
    IF p_checked < head THEN
      RAISE EXCEPTION 'unchecked end' USING ERRCODE = '${raised.unchecked}';
    END IF;

    verdicts := array_fill(0, ARRAY[p_commands]);
    whiches := array_fill(0, ARRAY[p_commands]);
    firsts := array_fill(0::bigint, ARRAY[p_commands]);
    FOR one IN
      SELECT DISTINCT ON (command) command, verdict, which FROM (
        SELECT k.command, ${verdict("key-taken")} AS verdict, 0::bigint AS which
          FROM unnest(p_k_command, p_k_key, p_k_since) AS k(command, key, since)
          JOIN iam.answers a ON a.key = k.key AND a.time > k.since
        UNION ALL
        SELECT c.command, ${verdict("version-conflict")}, c.which
          FROM unnest(p_c_command, p_c_stream, p_c_expected) WITH ORDINALITY
            AS c(command, stream, expected, which)
          LEFT JOIN derived.objects o ON o.stream = c.stream
          WHERE coalesce(o.version, 0) <> c.expected
        UNION ALL
        SELECT u.command, ${verdict("relied-conflict")}, u.which
          FROM unnest(p_u_command, p_u_stream, p_u_version) WITH ORDINALITY
            AS u(command, stream, version, which)
          LEFT JOIN derived.objects o ON o.stream = u.stream
          WHERE coalesce(o.version, 0) <> u.version
        UNION ALL
        SELECT c.command, ${verdict("other-owner")}, c.which
          FROM unnest(p_c_command, p_c_stream, p_c_owner) WITH ORDINALITY
            AS c(command, stream, owner, which)
          JOIN derived.objects o ON o.stream = c.stream WHERE o.owner <> c.owner
        UNION ALL
        SELECT t.command, ${verdict("tally-conflict")}, t.which
          FROM unnest(p_t_command, p_t_kind, p_t_name, p_t_parent, p_t_total) WITH ORDINALITY
            AS t(command, kind, name, parent, total, which)
          WHERE t.total <> (SELECT count(DISTINCT h.first) FROM derived.texts h
            WHERE h.list = ${numberOf("t")} AND ${isClaim("h")})
        UNION ALL
        SELECT p_c_command[l.change],
            CASE WHEN l.step IN (${claimSteps.release}, ${claimSteps.gone})
              THEN ${verdict("not-held")} ELSE ${verdict("claim-taken")} END,
            l.which
          FROM (
            SELECT l.*, ${holderOf("l")} AS holder
              FROM unnest(p_l_change, p_l_step, p_l_kind, p_l_name, p_l_parent, p_l_text)
                WITH ORDINALITY AS l(change, step, kind, name, parent, text, which)
          ) AS l
          WHERE l.step IN (${claimSteps.clash}, ${claimSteps.gone})
            OR (l.step = ${claimSteps.release} AND holder IS DISTINCT FROM p_c_stream[l.change])
            OR (l.step = ${claimSteps.take} AND holder <> p_c_stream[l.change])
        UNION ALL
        SELECT w.command, ${verdict("time-behind")}, 0
          FROM unnest(p_w_command, p_w_until) AS w(command, until) WHERE w.until < ended
      ) AS refusals ORDER BY command, verdict, which
    LOOP
      verdicts[one.command] := one.verdict;
      whiches[one.command] := one.which;
    END LOOP;

    ${quotaSteps}

    FOR one IN
      SELECT e.which, e.change, p_c_command[e.change] AS command, e.digest, e.mac
        FROM unnest(p_e_change, p_e_digest, p_e_mac) WITH ORDINALITY
          AS e(change, digest, mac, which)
        WHERE ${isDone("e.change")} ORDER BY e.which
    LOOP
      head := head + 1;
      link := sha256(link || int8send(head) || one.digest || one.mac);
      e_position[one.which] := head;
      e_link[one.which] := link;
      c_last[one.change] := head;
      c_first[one.change] := coalesce(c_first[one.change], head);
      IF firsts[one.command] = 0 THEN firsts[one.command] := head; END IF;
    END LOOP;

    IF c_last IS NOT NULL THEN
      INSERT INTO iam.events
          (position, stream, version, type, owner, actor, time, payload, salt, mac, link)
        SELECT e_position[e.which], p_c_stream[e.change], e.version, e.type, p_c_owner[e.change],
            p_c_actor[e.change], p_c_time[e.change], e.payload, e.salt, e.mac, e_link[e.which]
          FROM unnest(p_e_change, p_e_version, p_e_type, p_e_payload, p_e_salt, p_e_mac)
            WITH ORDINALITY AS e(change, version, type, payload, salt, mac, which)
          WHERE ${isDone("e.change")};

      INSERT INTO derived.counts AS n (kind, parent, objects)
        SELECT kind, parent, sum(change) FROM (
          SELECT c.kind, c.parent, 1 AS change
            FROM unnest(p_c_kind, p_c_parent) WITH ORDINALITY AS c(kind, parent, which)
            WHERE ${isDone("c.which")}
          UNION ALL
          SELECT o.kind, o.parent, -1
            FROM unnest(p_c_stream) WITH ORDINALITY AS c(stream, which)
            JOIN derived.objects o ON o.stream = c.stream
            WHERE ${isDone("c.which")}
        ) AS moves WHERE kind IS NOT NULL GROUP BY kind, parent HAVING sum(change) <> 0
        ON CONFLICT (kind, parent) DO UPDATE SET objects = n.objects + excluded.objects;

      SELECT array_agg(coalesce(o.first, c_first[c.which]) ORDER BY c.which),
          array_agg(coalesce(o.created, c.time) ORDER BY c.which),
          array_agg((o.kind, o.parent, o.fields) IS DISTINCT FROM (c.kind, c.parent, c.fields)
            OR c.which IN (SELECT l.change FROM unnest(p_l_change) AS l(change))
            ORDER BY c.which)
        INTO c_first, c_created, c_listed
        FROM unnest(p_c_stream, p_c_time, p_c_kind, p_c_parent, p_c_fields) WITH ORDINALITY
          AS c(stream, time, kind, parent, fields, which)
        LEFT JOIN derived.objects o ON o.stream = c.stream;

      INSERT INTO derived.objects
          (stream, first, version, owner, kind, parent, fields, created, changed, position, state,
           mac)
        SELECT c.stream, c_first[c.which], c.version, c.owner, c.kind, c.parent, c.fields,
            c_created[c.which], c.time, c_last[c.which], c.state,
            sha256(c.seal || int8send(c_first[c.which]) || int8send(c_last[c.which])
              || int8send(c_created[c.which]))
          FROM unnest(p_c_stream, p_c_version, p_c_owner, p_c_time, p_c_kind, p_c_parent,
              p_c_fields, p_c_state, p_c_seal)
            WITH ORDINALITY
            AS c(stream, version, owner, time, kind, parent, fields, state, seal, which)
          WHERE ${isDone("c.which")}
        ON CONFLICT (stream) DO UPDATE SET version = excluded.version, kind = excluded.kind,
          parent = excluded.parent, fields = excluded.fields, changed = excluded.changed,
          position = excluded.position, state = excluded.state, mac = excluded.mac;

      -- An object has a row for each text. A claim that is a field as well is one row.
      ${addLists(`
        unnest(p_x_change, p_x_kind, p_x_name, p_x_parent) AS x(change, kind, name, parent)
          WHERE ${isListed("x.change")}`)};
      x_list := ARRAY(SELECT ${numberOf("x")}
        FROM unnest(p_x_kind, p_x_name, p_x_parent) WITH ORDINALITY AS x(kind, name, parent, which)
        ORDER BY x.which);
      moved := ARRAY(
        SELECT c_first[c.which] FROM unnest(p_c_expected) WITH ORDINALITY AS c(expected, which)
          WHERE ${isListed("c.which")} AND c.expected > 0);
      IF cardinality(moved) > 0 THEN
        DELETE FROM derived.texts t WHERE t.first = ANY(moved) AND CASE WHEN t.tie = 0
          THEN (t.first, t.list, t.text) IN (SELECT c_first[l.change], ${numberOf("l")}, l.text
            FROM unnest(p_l_change, p_l_step, p_l_kind, p_l_name, p_l_parent, p_l_text)
              AS l(change, step, kind, name, parent, text)
            WHERE ${isDone("l.change")} AND l.step = ${claimSteps.release})
          ELSE (t.first, t.list, t.text) NOT IN (
            SELECT c_first[x.change], x.list, x.text FROM ${wanted} AND NOT x.claim) END;
        UPDATE derived.texts t SET listed = NOT t.listed WHERE t.first = ANY(moved) AND t.tie = 0
          AND t.listed <> ((t.first, t.list, t.text) IN (
            SELECT c_first[x.change], x.list, x.text FROM ${wanted} AND x.listed));
      END IF;
      INSERT INTO derived.texts (list, text, tie, first, listed)
        SELECT x.list, x.text, CASE WHEN x.claim THEN 0 ELSE c_first[x.change] END,
            c_first[x.change], x.listed
          FROM ${wanted} AND (p_c_expected[x.change] = 0 OR (SELECT t.first FROM derived.texts t
            WHERE t.list = x.list AND ${sameText("x")} AND t.tie IN (0, c_first[x.change])
              AND t.first = c_first[x.change] LIMIT 1) IS NULL);

      INSERT INTO iam.messages (position, field, due, since, attempts, type, owner)
        SELECT e_position[m.event], m.field, m.due, m.due, 0, p_e_type[m.event],
            p_c_owner[p_e_change[m.event]]
          FROM unnest(p_m_event, p_m_field, p_m_due) AS m(event, field, due)
          WHERE ${isDone("p_e_change[m.event]")};
      WITH gone AS (
        DELETE FROM iam.messages WHERE (position, field) IN (
          SELECT s.position, s.field
            FROM unnest(p_s_change, p_s_position, p_s_field) AS s(change, position, field)
            WHERE ${isDone("s.change")}
          UNION ALL
          SELECT m.position, m.field FROM unnest(p_c_stream, p_c_state) WITH ORDINALITY
              AS c(stream, state, which)
            JOIN iam.events e ON e.stream = c.stream
            JOIN iam.messages m ON m.position = e.position
            WHERE ${isDone("c.which")} AND c.state IS NULL)
        RETURNING type, owner
      )
      SELECT array_agg(type) AS types, array_agg(owner) AS owners INTO lines FROM gone;
      IF cardinality(p_m_event) > 0 THEN
        PERFORM derived.expect(array_agg(p_e_type[m.event] ORDER BY m.nth),
            array_agg(p_c_owner[p_e_change[m.event]] ORDER BY m.nth),
            array_agg(m.due ORDER BY m.nth))
          FROM unnest(p_m_event, p_m_due) WITH ORDINALITY AS m(event, due, nth)
          WHERE ${isDone("p_e_change[m.event]")} HAVING count(*) > 0;
      END IF;
      PERFORM derived.erase(p_c_stream[e.change])
        FROM unnest(p_e_change, p_e_type) AS e(change, type)
        WHERE e.type ~ '${erasingTypes}' AND ${isDone("e.change")};
      IF lines.types IS NOT NULL THEN
        PERFORM derived.review(lines.types, lines.owners,
          (SELECT min(c.time) FROM unnest(p_c_time) AS c(time)));
      END IF;
    END IF;

    ${besideSteps}

    INSERT INTO iam.batches (id, at, verdicts, whiches, firsts, head, link)
      VALUES (p_batch, now(), verdicts, whiches, firsts, head, link);
    -- Two for each that is kept, so that those of no use are never many.
    DELETE FROM iam.batches WHERE id IN (
      SELECT b.id FROM iam.batches b WHERE b.at < now() - interval '1 hour'
        ORDER BY b.at LIMIT 2);
  END
  $function$;
`;
