/** What is there, of the schemas of this program, or on their tables. */
export interface Thing {
  /** In one word. */
  readonly kind: string;
  readonly name: string;
  /** In the words of PostgreSQL, with all names but its own in full; null where none belongs. */
  readonly definition: string | null;
}

/** Begins to read them. */
export const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** All of a column but its statistics, privileges, and how it is compressed. */
const column = `concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
  (SELECT 'COLLATE ' || a.attcollation::regcollation::text FROM pg_type t
    WHERE t.oid = a.atttypid AND a.attcollation <> t.typcollation),
  CASE WHEN a.attnotnull THEN 'NOT NULL' END,
  CASE WHEN a.attidentity <> '' THEN 'IDENTITY ' || a.attidentity::text END,
  CASE WHEN a.attgenerated <> '' THEN 'GENERATED ' || a.attgenerated::text END,
  (SELECT 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d
    WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum),
  -- A row that cannot be moved out of its page is refused where it is long.
  (SELECT 'PLAIN' FROM pg_type t
    WHERE t.oid = a.atttypid AND a.attstorage = 'p' AND t.typstorage <> 'p'))`;

const columns = `(SELECT string_agg(${column}, ', ' ORDER BY a.attnum) FROM pg_attribute a
  WHERE a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped)`;

/**
 * What is there in schemas. A column that is NOT NULL has a constraint of that in PostgreSQL 18,
 * and none in 15: the column says it in both. A publication of some rows or columns of a table
 * refuses changes of others.
 */
export const thingsText = `
  WITH own AS (
    SELECT c.*, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' ELSE 'relation' END
        AS kind
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY($1)
  )
  SELECT kind, relname::text AS name, concat_ws(' ',
      CASE WHEN relpersistence <> 'p' THEN 'UNLOGGED' END,
      CASE WHEN reloftype <> 0 THEN 'OF ' || reloftype::regtype::text END,
      CASE WHEN relispartition THEN 'PARTITION' END,
      CASE WHEN relreplident NOT IN ('d', 'f') THEN 'REPLICA IDENTITY ' || relreplident::text END,
      CASE WHEN relrowsecurity OR relforcerowsecurity THEN 'ROW LEVEL SECURITY' END,
      ${columns}) AS definition
    FROM own WHERE relkind NOT IN ('i', 'S', 'c', 't')
  UNION ALL
  SELECT 'index', own.relname, concat_ws(' ', pg_get_indexdef(own.oid),
      CASE WHEN NOT (i.indisvalid AND i.indisready AND i.indislive) THEN 'INVALID' END)
    FROM own JOIN pg_index i ON i.indexrelid = own.oid
  UNION ALL
  SELECT 'sequence', own.relname, concat_ws(' ', s.seqtypid::regtype, s.seqstart, s.seqincrement,
      s.seqmin, s.seqmax, s.seqcycle,
      -- No number is left some day: it was set.
      CASE WHEN has_sequence_privilege(own.oid, 'SELECT')
        AND pg_sequence_last_value(own.oid) > s.seqmax / 2 THEN 'USED' END)
    FROM own JOIN pg_sequence s ON s.seqrelid = own.oid
  UNION ALL
  SELECT 'constraint', c.conname, concat_ws(' ', c.conrelid::regclass, pg_get_constraintdef(c.oid))
    FROM pg_constraint c
    WHERE c.contype <> 'n' AND EXISTS (SELECT FROM own WHERE own.oid IN (c.conrelid, c.confrelid))
  UNION ALL
  SELECT 'function', p.proname, concat_ws(' ', p.prokind, p.provolatile, l.lanname,
      CASE WHEN p.prosecdef THEN 'SECURITY DEFINER' END, CASE WHEN p.proisstrict THEN 'STRICT' END,
      p.proconfig::text, '(' || pg_get_function_arguments(p.oid) || ')',
      pg_get_function_result(p.oid), p.prosrc)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      JOIN pg_language l ON l.oid = p.prolang WHERE n.nspname = ANY($1)
  UNION ALL
  SELECT 'operator', o.oprname, NULL FROM pg_operator o
    JOIN pg_namespace n ON n.oid = o.oprnamespace WHERE n.nspname = ANY($1)
  UNION ALL
  -- Each table has a type of its own, and each type one of its lists.
  SELECT 'type', t.typname, NULL FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    LEFT JOIN own ON own.oid = t.typrelid
    WHERE n.nspname = ANY($1) AND t.typelem = 0 AND coalesce(own.relkind, 'c') = 'c'
  UNION ALL
  SELECT 'trigger', t.tgname, NULL FROM pg_trigger t
    JOIN own ON own.oid = t.tgrelid WHERE NOT t.tgisinternal
  UNION ALL
  SELECT 'rule', r.rulename, NULL FROM pg_rewrite r JOIN own ON own.oid = r.ev_class
  UNION ALL
  SELECT 'policy', p.polname, NULL FROM pg_policy p JOIN own ON own.oid = p.polrelid
  UNION ALL
  SELECT 'table', c.relname, NULL FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    JOIN own ON own.oid = i.inhparent
  UNION ALL
  SELECT 'parent', c.relname, NULL FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
    JOIN own ON own.oid = i.inhrelid
  UNION ALL
  SELECT 'publication', p.pubname, NULL FROM pg_publication p
    JOIN pg_publication_rel r ON r.prpubid = p.oid JOIN own ON own.oid = r.prrelid
    WHERE r.prqual IS NOT NULL OR r.prattrs IS NOT NULL
  ORDER BY kind, name`;
