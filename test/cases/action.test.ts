import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type {
  CreateActionRequestSchema,
  CreateActionResponse,
} from "../../gen/iam/management/v1/action_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ActionInput } from "../../src/domain/action.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { binaryOnly, detailsOf, fact, granted } from "./stored.ts";

const { createAction } = ManagementService.method;

type Given = MessageInitShape<typeof CreateActionRequestSchema>;

/** An action that is created; of its settings only those that are not the default. */
function stored(name: string, given: Given, changed: Partial<ActionInput> = {}): Case {
  return row(name, createAction, ({ server: { admin }, unique }) => ({
    request: { name: unique, script: "1", ...given },
    expected: {
      ok({ id, details }, events) {
        const defaults = { script: "1", timeoutNanos: 10_000_000_000, allowedToFail: false };
        expect(events.map(fact)).toEqual([
          {
            stream: `action-${id}`,
            version: 1,
            owner: admin.organization,
            actor: admin.userId,
            type: "action.added",
            payload: { name: given.name ?? unique, ...defaults, ...changed },
          },
        ]);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-\w{12}$/);
        expect(details).toMatchObject(detailsOf(events));
      },
    },
  }));
}

function refused(
  name: string,
  given: Given,
  fields: readonly string[],
  message?: string,
  only?: Case["only"],
): Case {
  return row(
    name,
    createAction,
    ({ unique }) => ({
      request: { name: unique, script: "1", ...given },
      expected: {
        ...{ code: 3, reason: "INVALID_FIELDS", fields },
        ...(message === undefined ? {} : { message }),
      },
    }),
    only,
  );
}

/** Names are not used twice, so the one at the limit ends differently for each client. */
function nameOf(characters: number, character: string): Case {
  return row(`takes a name of ${characters} ${character}`, createAction, ({ unique }) => {
    const name = `${unique}${character.repeat(characters - unique.length)}`;
    return {
      request: { name, script: "1" },
      expected: {
        ok: (_message, [added]) => expect(fact(added!).payload).toMatchObject({ name }),
      },
    };
  });
}

const script = (problem: string) => `script: must parse as JavaScript: ${problem}`;
const outside = "timeout: must be more than 0s and at most 20s";
/** As many characters as asked for, all but four of them emoji. */
const emoji = (characters: number) => `/* ${"😀".repeat(characters - 5)}*/`;

runCases("CreateAction", [
  stored("stores the defaults where nothing is said", {}),
  stored("stores that it may fail", { allowedToFail: true }, { allowedToFail: true }),
  stored(
    "stores the script as it is",
    { script: " \r\nfunction f(ctx) {\n\t// 😀 ﷺ \u2028\n}\n" },
    { script: " \r\nfunction f(ctx) {\n\t// 😀 ﷺ \u2028\n}\n" },
  ),

  nameOf(200, "n"),
  nameOf(200, "😀"),
  refused("refuses a name of white space", { name: " \t\u00a0" }, ["name"]),

  stored(
    "takes a script of 2,000 characters",
    { script: "1".repeat(2_000) },
    {
      script: "1".repeat(2_000),
    },
  ),
  stored("takes a script of 2,000 emoji", { script: emoji(2_000) }, { script: emoji(2_000) }),
  refused("refuses a script of 2,001 characters", { script: "1".repeat(2_001) }, ["script"]),
  refused("refuses a script of 2,001 emoji", { script: emoji(2_001) }, ["script"]),
  refused("refuses a script with U+0000", { script: "'\0'" }, ["script"]),
  refused(
    "tells line and column of what does not parse",
    { script: "let a;\n'😀' )" },
    ["script"],
    script("Unexpected token at line 2, column 5"),
  ),
  refused(
    "refuses what only modules may say",
    { script: "export default 1" },
    ["script"],
    script("'import' and 'export' may appear only with 'sourceType: module' at line 1, column 1"),
  ),
  refused("refuses nesting that no parser can bear", { script: "(".repeat(2_000) }, ["script"]),
  refused("refuses templates without an end", { script: "`${".repeat(666) }, ["script"]),

  stored("takes a nanosecond", { timeout: { nanos: 1 } }, { timeoutNanos: 1 }),
  stored(
    "takes a part of a second",
    { timeout: { seconds: 1n, nanos: 5 } },
    {
      timeoutNanos: 1_000_000_005,
    },
  ),
  stored("takes 20 s", { timeout: { seconds: 20n } }, { timeoutNanos: 20_000_000_000 }),
  refused("refuses 0 s", { timeout: {} }, ["timeout"], outside),
  refused(
    "refuses a nanosecond more than 20 s",
    { timeout: { seconds: 20n, nanos: 1 } },
    ["timeout"],
    outside,
  ),
  refused("refuses less than nothing", { timeout: { nanos: -1 } }, ["timeout"], outside),
  refused("refuses less than 0 s", { timeout: { seconds: -1n } }, ["timeout"], outside),
  refused("refuses 10,000 years", { timeout: { seconds: 315_576_000_000n } }, ["timeout"], outside),
  refused(
    "refuses more than 10,000 years",
    { timeout: { seconds: 315_576_000_001n } },
    ["timeout"],
    undefined,
    binaryOnly,
  ),
  refused(
    "refuses signs that differ",
    { timeout: { seconds: 1n, nanos: -1 } },
    ["timeout"],
    undefined,
    binaryOnly,
  ),
  refused(
    "lists everything that is wrong at once",
    { name: " ", script: "(", timeout: { seconds: 21n } },
    ["name", "script", "timeout"],
  ),

  // CVE-2022-36067 and others: who creates an action runs nothing.
  row("runs nothing", createAction, ({ unique }) => ({
    request: {
      name: unique,
      script: "globalThis.planted = Object.prototype.planted = 1; process.exit(1); for (;;);",
    },
    expected: {
      ok(_message, events) {
        expect(events).toHaveLength(1);
        expect("planted" in globalThis).toBe(false);
      },
    },
  })),
]);

const taken = {
  code: 6,
  reason: "NAME_TAKEN",
  message:
    "Another action of this organization has this name (ignoring case). Choose a different one.",
};

runCases("names of actions", [
  row("refuses a name that is taken, in another case", createAction, async ({ call, unique }) => {
    granted(await call(createAction, { name: unique, script: "1" }));
    return { request: { name: unique.toUpperCase(), script: "2" }, expected: taken };
  }),
  row("takes a name that another organization has", createAction, async (world) => {
    granted(await world.call(createAction, { name: world.unique, script: "1" }));
    const other = await givenOrganization(world.server);
    return {
      request: { name: world.unique, script: "1" },
      headers: { "x-service-orgid": other },
      expected: {
        ok({ details }, events) {
          expect(events.map(({ owner }) => owner)).toEqual([other]);
          expect(details).toMatchObject({ ...detailsOf(events), resourceOwner: other });
        },
      },
    };
  }),
  row("is one winner of a name that many want at once", createAction, async (world) => {
    const { call, server, unique } = world;
    const before = await server.head();
    const names = [unique, unique.toUpperCase(), unique, unique.toUpperCase()];
    const answers = await Promise.all(
      names.map((name) => call(createAction, { name, script: "1" })),
    );
    const won = answers.flatMap((answer) => (answer.ok ? [answer.message] : []));
    expect(answers.filter(({ ok }) => !ok)).toMatchObject([taken, taken, taken]);
    const [{ id }] = won as [CreateActionResponse];
    const streams = (await server.events(before)).map(({ stream }) => stream);
    expect(streams).toEqual([`action-${id}`]);
    return { request: { name: unique, script: "1" }, expected: taken };
  }),
]);
