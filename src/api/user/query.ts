import type { SearchQuery } from "../../../gen/iam/user/v1/search_pb.js";
import { Type, UserState } from "../../../gen/iam/user/v1/user_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { sortableTime } from "../../domain/user/state/sortable-time.ts";
import { user } from "../../domain/user/state/user.ts";
import type { Filter } from "../../store/query.ts";
import { enumNames } from "../enum.ts";
import { assertKnownQuery, matchAll, matchIds, matchOne, matchText } from "../listing.ts";

/** The limits of conditions within each other. */
export const queryLimits = {
  /** Conditions of `or`, `and` and `not` within each other; one that holds no other counts too. */
  depth: 5,
  /** Conditions of a request in all. */
  conditions: 20,
} as const;

/** The broken rules of conditions: how deep they nest, and how many they are. */
export function queryViolations(
  field: string,
  queries: readonly SearchQuery[],
): readonly Violation[] {
  const { depth, conditions } = measureQueries(queries);
  if (depth <= queryLimits.depth && conditions <= queryLimits.conditions) return [];
  const description =
    `must nest at most ${queryLimits.depth} deep and hold at most ` +
    `${queryLimits.conditions} conditions in all`;
  return [{ field, description }];
}

/** Reads the conditions of a request, which must all hold at a time (Unix milliseconds). */
export function readUserQueries(queries: readonly SearchQuery[], nowMs: number): Filter {
  return matchAll(queries.map((query) => readQuery(query, nowMs)));
}

/** Measures how deep conditions nest and how many they are, no further than is allowed. */
function measureQueries(queries: readonly SearchQuery[]): { depth: number; conditions: number } {
  let depth = 0;
  let conditions = 0;
  let level = queries;
  while (level.length > 0 && depth <= queryLimits.depth) {
    depth += 1;
    conditions += level.length;
    level = level.flatMap(partsOf);
  }
  return { depth, conditions };
}

function partsOf({ query }: SearchQuery): readonly SearchQuery[] {
  switch (query.case) {
    case "orQuery":
    case "andQuery":
      return query.value.queries;
    case "notQuery":
      return query.value.query === undefined ? [] : [query.value.query];
    default:
      return [];
  }
}

/** The states of users in lists and answers. */
export const userStates = enumNames(UserState, "");
const types = enumNames(Type, "");

function readQuery({ query }: SearchQuery, nowMs: number): Filter {
  const readAll = (queries: readonly SearchQuery[]) => queries.map((one) => readQuery(one, nowMs));
  switch (query.case) {
    case "userNameQuery":
      return matchText("userName", query.value.userName, query.value.method);
    case "loginNameQuery":
      return matchText("userName", query.value.loginName, query.value.method);
    case "firstNameQuery":
      return matchText("firstName", query.value.firstName, query.value.method);
    case "lastNameQuery":
      return matchText("lastName", query.value.lastName, query.value.method);
    case "nickNameQuery":
      return matchText("nickName", query.value.nickName, query.value.method);
    case "displayNameQuery":
      return matchText("displayName", query.value.displayName, query.value.method);
    case "emailQuery":
      return matchText("email", query.value.emailAddress, query.value.method);
    case "stateQuery":
      return matchState(userStates.read(query.value.state), nowMs);
    case "typeQuery":
      return matchOne("type", [types.read(query.value.type)]);
    case "inUserIdsQuery":
      return matchIds(user, query.value.userIds);
    case "inUserEmailsQuery":
      return matchOne("email", query.value.userEmails);
    case "orQuery":
      return { kind: "or", filters: readAll(query.value.queries) };
    case "andQuery":
      return matchAll(readAll(query.value.queries));
    case "notQuery":
      if (query.value.query === undefined) return assertKnownQuery();
      return { kind: "not", filter: readQuery(query.value.query, nowMs) };
    default:
      return assertKnownQuery();
  }
}

/**
 * Locked is who was locked by somebody, or is in use and has a lock that has not ended; no other
 * state is such a one's.
 */
function matchState(state: ReturnType<typeof userStates.read>, nowMs: number): Filter {
  const inactive = matchOne("state", ["INACTIVE"]);
  if (state === "INACTIVE") return inactive;
  const time = { kind: "text", field: "lockedUntil", method: "above", ignoreCase: true } as const;
  const hasLock: Filter = { ...time, value: sortableTime(nowMs) };
  if (state === "LOCKED") {
    const isInUse: Filter = { kind: "not", filter: inactive };
    return { kind: "or", filters: [matchOne("state", [state]), matchAll([hasLock, isInUse])] };
  }
  return matchAll([matchOne("state", [state]), { kind: "not", filter: hasLock }]);
}
