import { parameters } from "../append-parameters.ts";
import { madeText } from "../revision.ts";

// What the migrations leave, and what is made for a revision, as PostgreSQL 15 and 18 alike say it
// of a new database: where something else is made, `test/store/postgres-verify.test.ts` fails until
// it stands here.

const ofLog = `
table answers: key text COLLATE "C" NOT NULL, caller text COLLATE "C" NOT NULL, number bigint NOT
  NULL, "time" bigint NOT NULL, request bytea NOT NULL, answer bytea NOT NULL, secret bytea
table artifacts: key text COLLATE "C" NOT NULL, alias text COLLATE "C", family text COLLATE "C",
  payload text COLLATE "C" NOT NULL, expires bigint NOT NULL, uses bigint NOT NULL, mac bytea NOT
  NULL
table attachments: digest bytea NOT NULL, bytes bytea NOT NULL
table batches: id uuid NOT NULL, at timestamp with time zone NOT NULL, verdicts integer[] NOT
  NULL, whiches integer[] NOT NULL, firsts bigint[] NOT NULL, head bigint NOT NULL, link bytea NOT
  NULL
table events: "position" bigint NOT NULL, stream text COLLATE "C" NOT NULL, version bigint NOT
  NULL, type text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL, actor text COLLATE "C"
  NOT NULL, "time" bigint NOT NULL, payload text COLLATE "C" NOT NULL, salt bytea NOT NULL, mac
  bytea NOT NULL, link bytea NOT NULL
table log: id text COLLATE "C" NOT NULL
table messages: "position" bigint NOT NULL, field text COLLATE "C" NOT NULL, due bigint NOT NULL,
  since bigint NOT NULL, attempts bigint NOT NULL, type text COLLATE "C" NOT NULL, owner text
  COLLATE "C" NOT NULL
table projection: revision bigint NOT NULL
table quotas: digest bytea NOT NULL, used bigint NOT NULL, debt bigint NOT NULL, told bigint NOT
  NULL, clear bigint NOT NULL
table schema: version integer NOT NULL
table turns: number bigint NOT NULL IDENTITY a, type text COLLATE "C" NOT NULL, owner text COLLATE
  "C" NOT NULL, turn bigint NOT NULL
constraint answers_pkey: iam.answers PRIMARY KEY (key)
constraint artifacts_pkey: iam.artifacts PRIMARY KEY (key)
constraint attachments_pkey: iam.attachments PRIMARY KEY (digest)
constraint batches_pkey: iam.batches PRIMARY KEY (id)
constraint events_pkey: iam.events PRIMARY KEY ("position")
constraint events_stream_version_key: iam.events UNIQUE (stream, version)
constraint log_pkey: iam.log PRIMARY KEY (id)
constraint messages_pkey: iam.messages PRIMARY KEY ("position", field)
constraint quotas_pkey: iam.quotas PRIMARY KEY (digest)
constraint turns_pkey: iam.turns PRIMARY KEY (type, owner)
index answers_caller: CREATE UNIQUE INDEX answers_caller ON iam.answers USING btree (caller,
  number)
index answers_pkey: CREATE UNIQUE INDEX answers_pkey ON iam.answers USING btree (key)
index answers_secret: CREATE INDEX answers_secret ON iam.answers USING btree ("time") WHERE
  (secret IS NOT NULL)
index answers_time: CREATE INDEX answers_time ON iam.answers USING btree ("time")
index artifacts_alias: CREATE INDEX artifacts_alias ON iam.artifacts USING btree (alias) WHERE
  (alias IS NOT NULL)
index artifacts_expires: CREATE INDEX artifacts_expires ON iam.artifacts USING btree (expires)
index artifacts_family: CREATE INDEX artifacts_family ON iam.artifacts USING btree (family) WHERE
  (family IS NOT NULL)
index artifacts_pkey: CREATE UNIQUE INDEX artifacts_pkey ON iam.artifacts USING btree (key)
index attachments_pkey: CREATE UNIQUE INDEX attachments_pkey ON iam.attachments USING btree
  (digest)
index batches_at: CREATE INDEX batches_at ON iam.batches USING btree (at)
index batches_pkey: CREATE UNIQUE INDEX batches_pkey ON iam.batches USING btree (id)
index events_pkey: CREATE UNIQUE INDEX events_pkey ON iam.events USING btree ("position")
index events_stream_version_key: CREATE UNIQUE INDEX events_stream_version_key ON iam.events USING
  btree (stream, version)
index log_pkey: CREATE UNIQUE INDEX log_pkey ON iam.log USING btree (id)
index messages_line: CREATE INDEX messages_line ON iam.messages USING btree (type, owner, due,
  "position", field)
index messages_pkey: CREATE UNIQUE INDEX messages_pkey ON iam.messages USING btree ("position",
  field)
index messages_tried: CREATE INDEX messages_tried ON iam.messages USING btree (due) WHERE
  (attempts > 0)
index messages_untried: CREATE INDEX messages_untried ON iam.messages USING btree (due) WHERE
  (attempts = 0)
index quotas_clear: CREATE INDEX quotas_clear ON iam.quotas USING btree (clear)
index quotas_pkey: CREATE UNIQUE INDEX quotas_pkey ON iam.quotas USING btree (digest)
index turns_pkey: CREATE UNIQUE INDEX turns_pkey ON iam.turns USING btree (type, owner)
index turns_turn: CREATE INDEX turns_turn ON iam.turns USING btree (type, turn, number)
sequence turns_number_seq: bigint 1 1 1 9223372036854775807 f
`;

const ofRevision = `
table built: "position" bigint NOT NULL, link bytea NOT NULL
table counts: kind text COLLATE "C" NOT NULL, parent text COLLATE "C" NOT NULL, objects bigint NOT
  NULL
table lists: number bigint NOT NULL, kind text COLLATE "C" NOT NULL, name text COLLATE "C" NOT
  NULL, parent text COLLATE "C" NOT NULL
table objects: stream text COLLATE "C" NOT NULL, first bigint NOT NULL, version bigint NOT NULL,
  owner text COLLATE "C" NOT NULL, kind text COLLATE "C", parent text COLLATE "C", fields text
  COLLATE "C", created bigint NOT NULL, changed bigint NOT NULL, "position" bigint NOT NULL, state
  text COLLATE "C", mac bytea NOT NULL
table pending: "position" bigint NOT NULL, field text COLLATE "C" NOT NULL, due bigint NOT NULL,
  type text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL
table texts: tie bigint NOT NULL, first bigint NOT NULL, list bigint NOT NULL, listed boolean NOT
  NULL, text text COLLATE "C" NOT NULL
constraint counts_pkey: derived.counts PRIMARY KEY (kind, parent)
constraint lists_kind_name_parent_key: derived.lists UNIQUE (kind, name, parent)
constraint lists_pkey: derived.lists PRIMARY KEY (number)
constraint objects_first_key: derived.objects UNIQUE (first)
constraint objects_pkey: derived.objects PRIMARY KEY (stream)
constraint pending_pkey: derived.pending PRIMARY KEY ("position", field)
index counts_pkey: CREATE UNIQUE INDEX counts_pkey ON derived.counts USING btree (kind, parent)
index lists_kind_name_parent_key: CREATE UNIQUE INDEX lists_kind_name_parent_key ON derived.lists
  USING btree (kind, name, parent)
index lists_pkey: CREATE UNIQUE INDEX lists_pkey ON derived.lists USING btree (number)
index objects_first_key: CREATE UNIQUE INDEX objects_first_key ON derived.objects USING btree
  (first)
index objects_kind: CREATE INDEX objects_kind ON derived.objects USING btree (kind, first)
index objects_parent: CREATE INDEX objects_parent ON derived.objects USING btree (kind, parent,
  first)
index objects_pkey: CREATE UNIQUE INDEX objects_pkey ON derived.objects USING btree (stream)
index pending_pkey: CREATE UNIQUE INDEX pending_pkey ON derived.pending USING btree ("position",
  field)
index texts_first: CREATE INDEX texts_first ON derived.texts USING btree (first)
index texts_text: CREATE UNIQUE INDEX texts_text ON derived.texts USING btree (list, "left"(text,
  200), tie, NULLIF(sha256(decode(replace(substr(text, 201), '\\'::text, '\\\\'::text),
  'escape'::text)), sha256('\\x'::bytea))) NULLS NOT DISTINCT
`;

/** The parameters of functions, and what they answer. */
const heads = `
append: (${Object.entries(parameters)
  .map(([name, type]) => `p_${name} ${type}, `)
  .join("")}OUT verdicts integer[], OUT whiches integer[],
  OUT firsts bigint[], OUT head bigint, OUT link bytea) record
analyze: () void
discard: (p_lock_ms integer) void
erase: (p_stream text) void
expect: (p_types text[], p_owners text[], p_dues bigint[]) void
lease: (p_types text[], p_now bigint, p_far bigint, p_until bigint, p_limit bigint) TABLE(nth
  bigint, "position" bigint, field text, attempts bigint, since bigint)
lock_turns: (p_types text[], p_owners text[]) void
postpone: (p_position bigint, p_field text, p_attempts bigint, p_due bigint) void
review: (p_types text[], p_owners text[], p_now bigint DEFAULT '9223372036854775807'::bigint) void
take_over: () void
`;

/** The functions that may do more than the role that calls them. */
const definers = ["analyze", "discard", "erase", "take_over"];

/** Those of all functions. */
const settings = '{"search_path=pg_catalog, pg_temp",enable_seqscan=off,jit=off}';

/** The definition of each thing in a schema, by its kind and name, in the words of `things.ts`. */
export type Made = ReadonlyMap<string, string>;

/** What is in the schema of the log. */
export const madeOfLog: Made = new Map(recordsIn(ofLog));

/** What is in that of a revision, which is called `derived`. */
export const madeOfRevision: Made = new Map([
  ...recordsIn(ofRevision),
  ...recordsIn(heads).map(([name, head]): [string, string] => {
    const definer = definers.includes(name) ? "SECURITY DEFINER " : "";
    return [`function ${name}`, `f v plpgsql ${definer}${settings} ${head} ${bodyOf(name)}`];
  }),
]);

/** A line begins each, and those behind it that are indented go on. */
function recordsIn(text: string): [string, string][] {
  const lines = text
    .trim()
    .replaceAll(/\s*\n {2}/g, " ")
    .split("\n");
  return lines.map((line) => {
    const [name = "", definition = ""] = line.split(/: (.*)/);
    return [name, definition];
  });
}

function bodyOf(name: string): string {
  const at = madeText.indexOf(`CREATE FUNCTION derived.${name}(`);
  const [, body = ""] = madeText.slice(at).split("$function$");
  return body;
}
