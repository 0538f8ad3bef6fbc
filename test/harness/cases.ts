import {
  create,
  type DescMessage,
  type DescMethodUnary,
  getOption,
  hasOption,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { http } from "../../gen/google/api/annotations_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import type { RecordedEvent } from "../../src/event.ts";
import {
  type Answer,
  type CallHeaders,
  type ClientName,
  clientNames,
  createClients,
  type TestClient,
  toldAs,
} from "./clients.ts";
import { isFull, sampled, turnOf } from "./extent.ts";
import { givenProject, startServer, type TestServer } from "./server.ts";
import { chosenKind, type LogKind } from "./test-log.ts";

/** What one case runs in: a project of its own, and names that no other case uses. */
export interface World {
  readonly server: TestServer;
  readonly client: ClientName;
  /** An empty project of the first organization. */
  readonly project: string;
  /** A name that nothing else has. */
  readonly unique: string;
  /** Makes one more call through the same client, as the first user unless a token is given. */
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    token?: string,
  ): Promise<Answer>;
}

/**
 * One row of the tables that run through the clients: what is there, what is called, what comes
 * back, and which events that leaves.
 */
export interface Case {
  readonly name: string;
  readonly method: DescMethodUnary;
  /** Clients that the case applies to, where not all, with the reason. */
  readonly only?: { readonly clients: readonly ClientName[]; readonly because: string };
  run(world: World): Promise<Prepared>;
}

/** A call that is ready to be made, and what is expected of it. */
export interface Prepared {
  readonly request: Message;
  /** A token other than the first start's; empty sends none. */
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly expected: Expected;
}

export type Expected =
  | {
      /** Assertions on the answer and on the events that the call appended. */
      ok(message: Message, events: readonly RecordedEvent[]): void | Promise<void>;
    }
  | {
      readonly code: number;
      readonly reason: string;
      /** What people read, where the case is about it. */
      readonly message?: string;
      /** The violated fields as the contract names them, where the reason is INVALID_FIELDS. */
      readonly fields?: readonly string[];
      /** Types of the events that the refusal leaves; where nothing is said, none. */
      readonly leaves?: readonly string[];
    };

/** A row with the types of its method. */
export function row<I extends DescMessage, O extends DescMessage>(
  name: string,
  method: DescMethodUnary<I, O>,
  given: (world: World) => TypedPrepared<I, O> | Promise<TypedPrepared<I, O>>,
  only?: Case["only"],
): Case {
  return {
    name,
    method,
    ...(only ? { only } : {}),
    async run(world) {
      const { request, expected, ...rest } = await given(world);
      return {
        ...rest,
        request: create(method.input, request) as Message,
        expected:
          "ok" in expected
            ? { ok: (message, events) => expected.ok(message as MessageShape<O>, events) }
            : expected,
      };
    },
  };
}

interface TypedPrepared<I extends DescMessage, O extends DescMessage> {
  readonly request: MessageInitShape<I>;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly expected:
    | {
        ok(message: MessageShape<O>, events: readonly RecordedEvent[]): void | Promise<void>;
      }
    | Exclude<Expected, { ok: unknown }>;
}

/** The tables of files that are imported, while somebody gathers them in place of running them. */
export const gathering: { cases?: Case[] } = {};

/**
 * Runs the cases on one server, in full each through every client that it applies to. Else every
 * eighth case runs, through one client, by turns. The first success, violation of a field and
 * refusal that a worker meets run through all, and the first success of each method over REST,
 * where it has a form of its own.
 */
export function runCases(title: string, cases: readonly Case[], how: HowToRun = {}): void {
  if (gathering.cases !== undefined) gathering.cases.push(...cases);
  else runTable(title, cases, how);
}

/** How a table is run where not as others are. */
interface HowToRun {
  /** Where the log of the server lies. */
  readonly kind?: LogKind;
  /**
   * Whether each case runs through one client alone; left out, where logs lie in a database, which
   * has nothing to do with the client.
   */
  readonly isBrief?: boolean;
}

function runTable(
  title: string,
  cases: readonly Case[],
  { isBrief = chosenKind() !== "file", ...options }: HowToRun,
): void {
  const isWhole = isFull && !isBrief;
  let server: TestServer;
  let clients: readonly TestClient[];

  beforeAll(async () => {
    server = await startServer(options);
    clients = createClients(server.url);
  });

  afterAll(async () => {
    for (const client of clients) client.close();
    await server.close();
  });

  const through = (one: Case, name: ClientName): Promise<Kind> =>
    runCase(one, clients.find((other) => other.name === name)!, server).catch((cause: unknown) => {
      throw new Error(`It fails over ${name}.`, { cause });
    });
  const run = async (one: Case, name: ClientName): Promise<void> => {
    const kind = await through(one, name);
    if (isFull || isBrief) return;
    for (const other of applicableTo(one)) {
      if (isNew(one, kind, other) && other !== name) await through(one, other);
    }
  };

  const planned = sampled(cases).map((one, index) => ({
    one,
    name: one.name,
    names: isWhole ? applicableTo(one) : [turnOf(applicableTo(one), index)],
  }));
  const used = clientNames.filter((name) => planned.some(({ names }) => names.includes(name)));
  describe.each(used)(`${title} over %s`, (client) => {
    const its = planned.filter(({ names }) => names.includes(client));
    test.each(its)("$name", ({ one }) => run(one, client));
  });
}

/** Kinds of cases that have run, by client: the tables of a worker have this in common. */
const met = new Set<string>();

/** Whether no case of the kind has run through the client before. */
function isNew({ method }: Case, kind: Kind, name: ClientName): boolean {
  const key = `${name} ${kind} ${kind === "success" && name === "rest" ? method.name : ""}`;
  const isKnown = met.has(key);
  met.add(key);
  return !isKnown;
}

/** The clients that the case runs through in full: what has no path is no part of REST. */
function applicableTo({ method, only }: Case): readonly ClientName[] {
  return clientNames.filter(
    (name) =>
      (name !== "rest" || hasOption(method, http)) && (only?.clients.includes(name) ?? true),
  );
}

/** What a case is about, as far as every client has to show it. */
type Kind = "success" | "violation" | "refusal";

/** A call of which all is there, with the name that nothing else has. */
export interface ReadyCall {
  readonly unique: string;
  readonly request: Message;
  readonly headers: CallHeaders;
  readonly expected: Expected;
}

/** Prepares what a case is about on the server, and makes its call not yet. */
export async function prepareCase(
  one: Case,
  client: TestClient,
  server: TestServer,
): Promise<ReadyCall> {
  const unique = v7();
  const project = await givenProject(server, server.admin.organization, `project ${unique}`);
  const prepared = await one.run({
    server,
    client: client.name,
    project,
    unique,
    call: (method, init, token = server.admin.token) =>
      client.call(method, create(method.input, init) as Message, authorized(token)),
  });
  const { request, token = server.admin.token, expected } = prepared;
  const headers = { ...authorized(token), "idempotency-key": unique, ...prepared.headers };
  return { unique, request, headers, expected };
}

async function runCase(one: Case, client: TestClient, server: TestServer): Promise<Kind> {
  const { request, headers: sent, expected } = await prepareCase(one, client, server);
  const before = await server.head();

  const answer = await client.call(one.method, request, sent);
  const events = await server.events(before);
  if (events.length > 0 && getOption(one.method, access).permission !== "public") {
    // Whatever was done is done once, and told again as it was to who may still call.
    const again = await client.call(one.method, request, sent);
    if (again.ok || !events.some(endsCaller)) expect(again).toEqual(answer);
    else expect([7, 16]).toContain(again.code);
    expect(await server.events(before)).toEqual(events);
  }

  if ("ok" in expected) {
    // A refusal is shown whole.
    expect(answer).toEqual({ ok: true, message: expect.any(Object) });
    if (answer.ok) await expected.ok(answer.message, events);
    return "success";
  }
  const { code, reason, message, leaves = [] } = expected;
  const fields = expected.fields?.map((field) => toldAs(client.name, field)) ?? [];
  expect(answer).toMatchObject({ ok: false, code, reason, fields });
  if (message !== undefined) {
    const told = (text: string, field: string) =>
      text.replaceAll(`${field}: `, `${toldAs(client.name, field)}: `);
    expect(answer).toMatchObject({ message: expected.fields?.reduce(told, message) ?? message });
  }
  if (!answer.ok && answer.httpStatus !== undefined) {
    expect(answer.httpStatus).toBe(httpStatuses[code]);
  }
  expect(events.map(({ type }) => type)).toEqual(leaves);
  return fields.length > 0 ? "violation" : "refusal";
}

/** Whether a caller has taken away what lets it call. */
function endsCaller({ stream, actor, type }: RecordedEvent): boolean {
  const ends = [
    "removed",
    "deactivated",
    "token.removed",
    "membership.changed",
    "membership.removed",
    "memberships.removed",
  ];
  return stream === `user-${actor}` && ends.some((end) => type === `user.${end}`);
}

function authorized(token: string): CallHeaders {
  return token === "" ? {} : { authorization: `Bearer ${token}` };
}

/** Written out again, so that a change in the service shows. */
const httpStatuses: { readonly [code: number]: number } = {
  3: 400,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 409,
  10: 409,
  16: 401,
};
