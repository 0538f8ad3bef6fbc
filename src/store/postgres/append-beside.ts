import { answerLimits } from "../answer.ts";
import { verdict } from "./append-parameters.ts";

// Steps of the function that appends, about what follows from no event.

/** Takes what appends use of quotas, or refuses them, before events are written. */
export const quotaSteps = `
    -- What was planned on a quota stands where it was as planned, and all before it went so.
    IF cardinality(p_r_command) > 0 THEN
      broken := ARRAY(
        SELECT a.digest FROM unnest(p_a_digest, p_a_used, p_a_debt, p_a_told)
            AS a(digest, used, debt, told)
          LEFT JOIN iam.quotas q ON q.digest = a.digest
          WHERE (q.used, q.debt, q.told) IS DISTINCT FROM (a.used, a.debt, a.told));
      FOR one IN
        SELECT command, array_agg(digest) AS digests, command = ANY(p_spent) AS spent
          FROM unnest(p_r_command, p_r_digest) AS r(command, digest)
          GROUP BY command ORDER BY command
      LOOP
        IF verdicts[one.command] = 0 THEN
          IF one.digests && broken THEN
            verdicts[one.command] := ${verdict("quota-stale")};
          ELSIF one.spent THEN
            verdicts[one.command] := ${verdict("quota-spent")};
          END IF;
        END IF;
        IF verdicts[one.command] <>
            (CASE WHEN one.spent THEN ${verdict("quota-spent")} ELSE 0 END) THEN
          broken := broken || ARRAY(SELECT q.digest
            FROM unnest(p_q_command, p_q_digest) AS q(command, digest)
            WHERE q.command = one.command);
        END IF;
      END LOOP;
      DELETE FROM iam.quotas WHERE digest IN (
        SELECT q.digest FROM iam.quotas q WHERE q.clear <= p_now
          ORDER BY q.clear LIMIT 2 * cardinality(p_q_command));
      INSERT INTO iam.quotas (digest, used, debt, told, clear)
        SELECT DISTINCT ON (q.digest) q.digest, q.used, q.debt, q.told, q.clear
          FROM unnest(p_q_command, p_q_digest, p_q_used, p_q_debt, p_q_told, p_q_clear)
            AS q(command, digest, used, debt, told, clear)
          WHERE verdicts[q.command] =
            CASE WHEN q.command = ANY(p_spent) THEN ${verdict("quota-spent")} ELSE 0 END
          ORDER BY q.digest, q.command DESC
        ON CONFLICT (digest) DO UPDATE SET used = excluded.used, debt = excluded.debt,
          told = excluded.told, clear = excluded.clear;
    END IF;
`.trim();

/**
 * Keeps the bytes and answers of appends that stand, takes away the families of artifacts they end,
 * and what is kept of the users they name.
 */
export const besideSteps = `
    IF cardinality(p_b_command) > 0 THEN
      INSERT INTO iam.attachments (digest, bytes)
        SELECT b.digest, b.bytes FROM unnest(p_b_command, p_b_digest, p_b_bytes)
            AS b(command, digest, bytes)
          WHERE verdicts[b.command] = 0
        ON CONFLICT (digest) DO NOTHING;
    END IF;
    IF cardinality(p_k_command) > 0 THEN
      -- Callers number their answers, so that the oldest of too many are found without counting.
      -- A large one takes several numbers, of which it has the last: see countOf in answer.ts.
      INSERT INTO iam.answers (key, caller, number, time, request, answer, secret)
        SELECT k.key, k.caller,
            coalesce((SELECT max(a.number) FROM iam.answers a WHERE a.caller = k.caller), 0)
              + sum(1 + (octet_length(k.request) + octet_length(k.answer)
                  + coalesce(octet_length(k.secret), 0) - 1) / ${answerLimits.countedBytes})
                OVER (PARTITION BY k.caller ORDER BY k.which),
            k.time, k.request, k.answer, k.secret
          FROM unnest(p_k_command, p_k_key, p_k_caller, p_k_time, p_k_request, p_k_answer,
              p_k_secret)
            WITH ORDINALITY AS k(command, key, caller, time, request, answer, secret, which)
          WHERE verdicts[k.command] = 0
        ON CONFLICT (key) DO UPDATE SET caller = excluded.caller, number = excluded.number,
          time = excluded.time, request = excluded.request, answer = excluded.answer,
          secret = excluded.secret;
      DELETE FROM iam.answers a USING (
          SELECT k.caller,
              (SELECT max(n.number) FROM iam.answers n WHERE n.caller = k.caller) AS last
            FROM (SELECT DISTINCT caller FROM unnest(p_k_caller) AS k(caller)) AS k
        ) AS c WHERE a.caller = c.caller AND a.number <= c.last - p_k_kept;
    END IF;
    IF cardinality(p_g_command) > 0 THEN
      DELETE FROM iam.artifacts WHERE family = ANY(ARRAY(
        SELECT g.family FROM unnest(p_g_command, p_g_family) AS g(command, family)
          WHERE verdicts[g.command] = 0));
    END IF;
    IF cardinality(p_f_command) > 0 THEN
      FOR one IN
        SELECT f.caller, f.of_user FROM unnest(p_f_command, p_f_caller, p_f_of)
            AS f(command, caller, of_user)
          WHERE verdicts[f.command] = 0
      LOOP
        DELETE FROM iam.answers WHERE caller = one.caller;
        DELETE FROM iam.artifacts WHERE family = one.of_user
          OR family = ANY(ARRAY(SELECT a.family FROM iam.artifacts a WHERE a.alias = one.of_user));
      END LOOP;
    END IF;
`.trim();
