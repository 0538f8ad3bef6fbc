import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SessionSchema } from "../../../gen/iam/user/v1/session_pb.js";
import {
  terminateAllSessions,
  terminatedBy,
  terminateSession,
} from "../../domain/user/login/terminate.ts";
import type { Session } from "../../domain/user/state/login-state.ts";
import { sessionsOf } from "../../domain/user/state/session.ts";
import { changedDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { pageOf } from "../listing.ts";
import type { Service } from "../service.ts";
import { readUser } from "./credential.ts";
import { changeUser } from "./user.ts";

/** The handlers on the sessions of people. */
export function sessionHandlers(service: Service) {
  return {
    async listUserSessions({ userId, query }, context) {
      const { found, details } = await readUser(service, userId, context);
      const sessions = sessionsOf(found.state, service.now()).toReversed();
      const shown = pageOf(sessions, query).map((session) => showSession(service, session));
      const totalResult = BigInt(sessions.length);
      return { details: { ...details, totalResult }, result: await Promise.all(shown) };
    },

    terminateUserSession: ({ userId, sessionId }, context) =>
      changeUser(service, userId, context, (states, acted, nowMs) =>
        terminateSession(states, { ...acted, sessionId }, nowMs),
      ),

    terminateAllUserSessions: ({ userId }, context) =>
      changeUser(service, userId, context, terminateAllSessions, (written) => ({
        details: changedDetails(written),
        count: terminatedBy(written.events),
      })),
  } satisfies Handlers;
}

/** What is known of a session, as a list shows it. */
export async function showSession({ findTraces }: Service, session: Session) {
  const { sessionId: id, begunMs, factors, clientId, told = [] } = session;
  const { from = {}, usedMs } = await findTraces(id);
  const { browser = "", system = "", network = "" } = from;
  return create(SessionSchema, {
    ...{ id, factors: [...factors], browser, system, network },
    creationDate: timestampFromMs(begunMs),
    ...(usedMs === undefined ? {} : { lastUsedDate: timestampFromMs(usedMs) }),
    applications: [...new Set([clientId, ...told])],
  });
}
