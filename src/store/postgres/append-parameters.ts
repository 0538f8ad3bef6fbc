// What the function that appends takes and answers.

/** The lock for appending, and for changing what follows from the log. */
export const logLock = 4_938_271_001n;

/** What became of an append, by the number that the function answers. */
export const verdicts = [
  "appended",
  "key-taken",
  "version-conflict",
  "relied-conflict",
  "other-owner",
  "tally-conflict",
  "not-held",
  "claim-taken",
  "quota-spent",
  "quota-stale",
  "time-behind",
] as const;

/** The number of a verdict. */
export const verdict = (name: (typeof verdicts)[number]) => verdicts.indexOf(name);

/** What is done with a claim, by the number that the function takes. */
export const claimSteps = { release: 0, take: 1, retake: 2, clash: 3, gone: 4 } as const;

/** The parameters of the function, in order. Lists of one letter have the same length. */
export const parameters = {
  batch: "uuid",
  log: "text",
  revision: "bigint",
  seen_position: "bigint",
  seen_link: "bytea",
  checked: "bigint", // the end has to be there; NULL where it may be anywhere
  lock_ms: "integer",
  now: "bigint", // the least time of all appends
  commands: "integer",
  // Answers: of which append (from 1) and of whom, and the last time of those that are over.
  k_command: "integer[]",
  k_key: "text[]",
  k_since: "bigint[]",
  k_caller: "text[]",
  k_time: "bigint[]",
  k_request: "bytea[]",
  k_answer: "bytea[]",
  k_secret: "bytea[]",
  k_kept: "bigint", // how many of one caller
  // Bytes that events name.
  b_command: "integer[]",
  b_digest: "bytea[]",
  b_bytes: "bytea[]",
  // Families of artifacts that go.
  g_command: "integer[]",
  g_family: "text[]",
  // Users who are removed: as callers, and as what their artifacts are found by.
  f_command: "integer[]",
  f_caller: "text[]",
  f_of: "text[]",
  // Changes.
  c_command: "integer[]",
  c_stream: "text[]",
  c_expected: "bigint[]",
  c_version: "bigint[]",
  c_owner: "text[]",
  c_actor: "text[]",
  c_time: "bigint[]",
  c_kind: "text[]",
  c_parent: "text[]",
  c_fields: "text[]",
  c_state: "text[]",
  c_seal: "bytea[]",
  // Streams that were relied on.
  u_command: "integer[]",
  u_stream: "text[]",
  u_version: "bigint[]",
  t_command: "integer[]",
  t_kind: "text[]",
  t_name: "text[]",
  t_parent: "text[]",
  t_total: "bigint[]",
  // Appends that may not be behind an event that is later than a time.
  w_command: "integer[]",
  w_until: "bigint[]",
  // Claims: what is done with each, by the number of its change (from 1).
  l_change: "integer[]",
  l_step: "integer[]",
  l_kind: "text[]",
  l_name: "text[]",
  l_parent: "text[]",
  l_text: "text[]",
  // Quotas: as they were when the appends were planned, of which append, and as they are kept.
  a_digest: "bytea[]",
  a_used: "bigint[]",
  a_debt: "bigint[]",
  a_told: "bigint[]",
  r_command: "integer[]",
  r_digest: "bytea[]",
  q_command: "integer[]",
  q_digest: "bytea[]",
  q_used: "bigint[]",
  q_debt: "bigint[]",
  q_told: "bigint[]",
  q_clear: "bigint[]",
  spent: "integer[]", // the appends that find no room
  // Events, by the number of their change (from 1).
  e_change: "integer[]",
  e_version: "bigint[]",
  e_type: "text[]",
  e_payload: "text[]",
  e_salt: "bytea[]",
  e_digest: "bytea[]",
  e_mac: "bytea[]",
  // Texts of changes: all fields, and the claims that are taken.
  x_change: "integer[]",
  x_kind: "text[]",
  x_name: "text[]",
  x_parent: "text[]",
  x_text: "text[]",
  x_claim: "boolean[]",
  x_listed: "boolean[]",
  // Messages by the number of their event, and messages that are settled.
  m_event: "integer[]",
  m_field: "text[]",
  m_due: "bigint[]",
  s_change: "integer[]",
  s_position: "bigint[]",
  s_field: "text[]",
} as const;

/** The call of the function, with its values in the order of `parameters`. */
export const appendCall = `SELECT * FROM derived.append(${Object.values(parameters)
  .map((type, i) => `$${i + 1}::${type}`)
  .join(", ")})`;
