import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import { answerParent } from "../../../bench/child.ts";
import { Refused } from "../../../src/api/call.ts";
import { type Follower, followFrom } from "../../../src/api/follow.ts";
import { writeResumeToken } from "../../../src/api/resume-token.ts";
import { readConfig } from "../../../src/config/config.ts";
import { action, createAction } from "../../../src/domain/action.ts";
import { app, appsOf } from "../../../src/domain/app/app.ts";
import { regenerateSecret } from "../../../src/domain/app/change.ts";
import { addAPIApp } from "../../../src/domain/app/create.ts";
import { addProject, project } from "../../../src/domain/project.ts";
import type { Outcome as Done } from "../../../src/execute/command.ts";
import { createExecute } from "../../../src/execute/execute.ts";
import { logKeysFor } from "../../../src/log/log-keys.ts";
import { projector } from "../../../src/log/projector.ts";
import { afterAppend } from "../../../src/store/after-append.ts";
import { createFeed } from "../../../src/store/feed.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { OutcomeUnknown, StoreUnavailable } from "../../../src/store/store.ts";
import { removeProject } from "../../harness/project.ts";
import type { Outcome } from "../ledger.ts";
import type { Asked } from "../load.ts";

/**
 * A node without its gateway: what execute and the feed do with the log in PostgreSQL that the
 * settings name.
 */
const config = readConfig([], process.env);
const opened = await openPostgres({
  ...{ url: config.databaseUrl, projector, keys: logKeysFor(config), random: randomBytes },
});
const feed = createFeed(opened);
const store = afterAppend(opened, () => feed.wake());
const execute = createExecute(store, Date.now);

const organization = "org";
const actor = "crash";
const settings = {
  ...{ projectRoleAssertion: false, projectRoleCheck: false, hasProjectCheck: false },
  privateLabelingSetting: "UNSPECIFIED",
} as const;

/** What the handlers of these calls do. */
function carryOut({ kind, name, projectId }: Asked, id: string): Promise<Done<bigint>> {
  const answer = ({ position }: { readonly position: bigint }) => position;
  const fresh = { id, owner: organization, isNew: true };
  switch (kind) {
    case "project":
      return execute({
        ...{ actor, answer, writes: { project: { noun: project, ...fresh } } },
        decide: () => addProject({ name, ...settings }),
      });
    case "api":
      return execute({
        ...{ actor, answer, writes: { app: { noun: app, ...fresh } } },
        relies: { project: { noun: project, id: projectId } },
        decide: (states) => {
          const added = { organization, projectId, name, clientId: v7(), clientSecretHash: "" };
          return addAPIApp(states, added, "BASIC");
        },
      });
    case "secret":
      return execute({
        ...{ actor, answer, writes: { app: { noun: app, id: name } } },
        relies: { project: { noun: project, id: projectId } },
        decide: (states) => {
          const frame = { organization, projectId };
          return regenerateSecret(states, { ...frame, type: "api", clientSecretHash: v7() });
        },
      });
    case "action":
      return execute({
        ...{ actor, answer, writes: { action: { noun: action, ...fresh } } },
        decide: () => createAction({ name, script: "", timeoutNanos: 1, allowedToFail: false }),
      });
    case "removal":
      return execute({
        ...{ actor, answer, writes: { project: { noun: project, id: name } } },
        groups: { apps: { noun: app, ...appsOf(name) } },
        decide: (states) => removeProject(states, { organization }),
      });
    default:
      throw new Error(`a node makes no ${kind}`);
  }
}

async function ask(asked: Asked): Promise<Outcome> {
  const id = asked.kind === "removal" || asked.kind === "secret" ? asked.name : v7();
  try {
    const done = await carryOut(asked, id);
    if (done.kind === "done") {
      return { kind: "acknowledged", id, sequence: Number(done.answer) };
    }
    const reason = done.kind === "rejected" ? done.rejection.reason : "ABORTED";
    return { kind: "refused", reason };
  } catch (error) {
    if (error instanceof OutcomeUnknown) return { kind: "unknown" };
    if (!(error instanceof StoreUnavailable)) return { kind: "refused", reason: String(error) };
    const isOther = error.why === "history-changed";
    return { kind: "refused", reason: isOther ? "HISTORY_CHANGED" : "UNAVAILABLE" };
  }
}

/** What a watch is told next. */
export type Told =
  /** Events, by the tokens to go on behind each. */
  | { readonly kind: "events"; readonly tokens: readonly string[] }
  /** The log has lost the place. */
  | { readonly kind: "outdated" };

/** The watches by their numbers, until they are left. */
const watches = new Map<number, Promise<Follower>>();
/** Milliseconds for which a watch waits for news, and the most events that it takes at once. */
const watchMs = 500;
const eventsMax = 50;

/** What is new to a watch, which begins behind a token. */
async function watch({ id, from }: { readonly id: number; readonly from: string }): Promise<Told> {
  try {
    const begun =
      watches.get(id) ?? followFrom({ store, feed }, { resumeToken: from, position: 0n });
    watches.set(id, begun);
    const follower = await begun;
    const { events = [] } = (await follower.next({ limit: eventsMax })) ?? {};
    const over = new AbortController();
    if (events.length === 0) await feed.beyond(follower.after(), watchMs, over.signal);
    return {
      kind: "events",
      tokens: events.map(({ position, link }) => writeResumeToken(position, link)),
    };
  } catch (error) {
    if (error instanceof Refused) return { kind: "outdated" };
    throw error;
  }
}

const leave = (id: number) => watches.delete(id);

const answers = { ready: () => true, ask, watch, leave };

/** What can be asked of a node. */
export type NodeAnswers = typeof answers;

answerParent(answers, () => opened.close());
