import type { Claim } from "../../event.ts";
import { answerLimits } from "../answer.ts";
import { ofUser } from "../artifact.ts";
import { attachmentDigest } from "../attachment.ts";
import type { createStamp, Stamped } from "../chain/chain.ts";
import type { RowMac } from "../chain/row-mac.ts";
import { toListed } from "../chain/state.ts";
import { claimKey } from "../claim-key.ts";
import { clearMs, type Usage } from "../quota.ts";
import type { QuotaPlan } from "../quota-plan.ts";
import type { Append, Change } from "../store.ts";
import { claimRow, listOf, type TextRow, textRows } from "../texts.ts";
import { claimSteps, parameters } from "./append-parameters.ts";
import { toStored, toStoredOrNull } from "./text.ts";

/** An append with what it comes to on its quotas as they are now. */
export interface Planned {
  readonly append: Append;
  readonly plan: QuotaPlan;
  /** The quotas that it counts against, with what was there before the batch. */
  readonly assumed: readonly Assumed[];
}

/** What a quota is taken for; undefined where nothing was used of it. */
export interface Assumed {
  readonly digest: Buffer;
  readonly usage: Usage | undefined;
}

/** How rows are sealed. */
export interface Sealing {
  readonly stamp: ReturnType<typeof createStamp>;
  readonly rowMac: RowMac;
  /** The name by which the answer of a key is found. */
  readonly nameOf: (key: string) => string;
}

type Name = keyof typeof parameters;
/** The values of the parameters that are lists. */
type Lists = { readonly [name in Name]: unknown[] };

/** A batch as the function takes it. */
export interface BatchColumns {
  readonly lists: Lists;
  readonly nowMs: number;
  /** What the function names by its number, from 1. */
  readonly changes: readonly Change[];
  readonly claims: readonly Claim[];
  readonly stamps: readonly EventStamp[];
}

/** A batch of appends as it is sent. */
export interface Batch {
  readonly planned: readonly Planned[];
  readonly columns: BatchColumns;
}

/** By what an event is linked, and the number of its append. */
export interface EventStamp extends Pick<Stamped, "digest" | "mac"> {
  readonly command: number;
}

/** Takes the appends of a batch apart into the lists that the function takes. */
export function columnsOf(batch: readonly Planned[], sealing: Sealing): BatchColumns {
  const lists = emptyLists();
  const changes: Change[] = [];
  const claims: Claim[] = [];
  const stamps: EventStamp[] = [];
  const assumed = new Map<string, Assumed>();
  for (const [i, { append, plan, assumed: read }] of batch.entries()) {
    const command = i + 1;
    addBeside(lists, command, append, sealing);
    for (const [step, change, claim] of claimsOf(append)) {
      claims.push(claim);
      add(lists, { l_change: changes.length + change, l_step: step });
      add(lists, keyed("l", claimRow(claim)));
    }
    for (const change of append.changes) {
      changes.push(change);
      const one = { command, number: changes.length, append, change, plan };
      stamps.push(...addChange(lists, one, sealing));
    }
    for (const one of read) {
      add(lists, { r_command: command, r_digest: one.digest });
      const key = one.digest.toString("hex");
      if (!assumed.has(key)) assumed.set(key, one);
    }
    addPlan(lists, command, plan);
  }
  for (const { digest, usage } of assumed.values()) {
    const { usedMs = null, debt = null, toldMs = null } = usage ?? {};
    add(lists, { a_digest: digest, a_used: usedMs, a_debt: debt, a_told: toldMs });
  }
  const nowMs = Math.min(...batch.map(({ append }) => append.timeMs));
  return { lists, nowMs, changes, claims, stamps };
}

/** The values of the parameters, in order. */
export function valuesOf(
  { lists }: BatchColumns,
  single: { readonly [name in Name]?: unknown },
): readonly unknown[] {
  return Object.values({ ...lists, ...single });
}

function emptyLists(): Lists {
  const lists: { [name: string]: unknown[] } = {};
  for (const name of Object.keys(parameters)) lists[name] = [];
  return lists as Lists;
}

/** Adds a value to each of some lists. */
function add(lists: Lists, values: { readonly [name in Name]?: unknown }): void {
  for (const [name, value] of Object.entries(values)) lists[name as Name].push(value);
}

/** What an append relies on besides what it changes, and what follows from no event of it. */
function addBeside(lists: Lists, command: number, append: Append, { nameOf }: Sealing): void {
  const {
    unchanged,
    tallies,
    remember,
    attachments = [],
    families = [],
    users = [],
    actor,
    timeMs,
    behindMs,
  } = append;
  if (remember !== undefined) {
    const { key, request, answer, secret = null } = remember;
    const since = timeMs - answerLimits.keptMs;
    add(lists, { k_command: command, k_key: nameOf(key), k_since: since, k_time: timeMs });
    add(lists, { k_caller: toStored(actor), k_request: request });
    add(lists, { k_answer: answer, k_secret: secret });
  }
  if (behindMs !== undefined) add(lists, { w_command: command, w_until: timeMs + behindMs });
  for (const bytes of attachments) {
    const digest = Buffer.from(attachmentDigest(bytes), "hex");
    add(lists, { b_command: command, b_digest: digest, b_bytes: bytes });
  }
  for (const family of families) add(lists, { g_command: command, g_family: family });
  for (const id of users) {
    add(lists, { f_command: command, f_caller: toStored(id), f_of: ofUser(id) });
  }
  for (const { stream, version } of unchanged) {
    add(lists, { u_command: command, u_stream: toStored(stream), u_version: version });
  }
  for (const { total, ...group } of tallies) {
    const { kind, name, parent } = listOf(group);
    add(lists, { t_command: command, t_total: total });
    add(lists, { t_kind: toStored(kind), t_name: toStored(name), t_parent: toStored(parent) });
  }
}

/** What is done with a claim, and the number of its change in the append, from 1. */
type ClaimStep = readonly [step: number, change: number, claim: Claim];

/** What an append does with claims: all releases happen before the first take. */
function claimsOf({ changes }: Append): readonly ClaimStep[] {
  const steps: ClaimStep[] = [];
  const released = new Set<string>();
  for (const [i, { release }] of changes.entries()) {
    for (const claim of release) {
      const key = claimKey(claim);
      steps.push([released.has(key) ? claimSteps.gone : claimSteps.release, i + 1, claim]);
      released.add(key);
    }
  }
  const takers = new Map<string, string>();
  for (const [i, { stream, take }] of changes.entries()) {
    for (const claim of take) {
      const key = claimKey(claim);
      const taker = takers.get(key);
      // A stream may take what it has.
      if (taker === stream) continue;
      const free = released.has(key) ? claimSteps.retake : claimSteps.take;
      steps.push([taker === undefined ? free : claimSteps.clash, i + 1, claim]);
      takers.set(key, stream);
    }
  }
  return steps;
}

/** The key of a text as values of the lists with this letter. */
function keyed(letter: "l" | "x", { kind, name, parent, text }: TextRow) {
  const key = Object.entries({ kind, name, parent, text });
  return Object.fromEntries(key.map(([part, said]) => [`${letter}_${part}`, toStored(said)]));
}

interface OneChange {
  readonly command: number;
  /** Its number in the batch. */
  readonly number: number;
  readonly append: Append;
  readonly change: Change;
  readonly plan: QuotaPlan;
}

/** Adds a change, and answers the stamps of its events. */
function addChange(
  lists: Lists,
  one: OneChange,
  { rowMac, stamp }: Sealing,
): readonly EventStamp[] {
  const { command, number, append, change, plan } = one;
  const { actor, timeMs } = append;
  const { stream, expected, owner, events, state, row, take, messages, settles } = change;
  const version = expected + events.length;
  const listed = toListed(row);
  const said = { stream, version, owner, changedMs: timeMs, state: state ?? null };
  add(lists, {
    c_command: command,
    c_stream: toStored(stream),
    c_expected: expected,
    c_version: version,
    c_owner: toStored(owner),
    c_actor: toStored(actor),
    c_time: timeMs,
    c_kind: toStoredOrNull(listed.kind),
    c_parent: toStoredOrNull(listed.parent),
    c_fields: toStoredOrNull(listed.fields),
    c_state: toStoredOrNull(state),
    c_seal: rowMac.keyOf({ ...said, ...listed }),
  });
  const before = lists.e_change.length;
  const stamps: EventStamp[] = [];
  for (const [i, { type, payload }] of events.entries()) {
    const at = expected + 1 + i;
    const event = { stream, version: at, type, owner, actor, timeMs, payload };
    const { salt, digest, mac } = stamp(event);
    add(lists, { e_change: number, e_version: at, e_type: toStored(type) });
    add(lists, { e_payload: toStored(payload), e_salt: salt, e_digest: digest, e_mac: mac });
    stamps.push({ command, digest, mac });
  }
  for (const text of textRows(row, take)) {
    add(lists, { x_change: number, x_claim: text.isClaim, x_listed: text.isListed });
    add(lists, keyed("x", text));
  }
  for (const message of messages) {
    const due = plan.due.get(message) ?? timeMs;
    add(lists, { m_event: before + 1 + message.event, m_field: toStored(message.field) });
    add(lists, { m_due: due });
  }
  for (const { position, field } of settles) {
    add(lists, { s_change: number, s_position: position, s_field: toStored(field) });
  }
  return stamps;
}

function addPlan(lists: Lists, command: number, { refused, kept }: QuotaPlan): void {
  if (refused !== undefined) add(lists, { spent: command });
  for (const { quota, digest, usage } of kept) {
    const { usedMs, debt, toldMs } = usage;
    add(lists, { q_command: command, q_digest: digest, q_used: usedMs, q_debt: debt });
    add(lists, { q_told: toldMs, q_clear: clearMs(quota, usage) });
  }
}
