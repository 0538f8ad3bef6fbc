import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { GetPersonalDataResponse } from "../../gen/iam/management/v1/personal_data_pb.js";
import { personalDataLimits } from "../../src/api/user/personal-data.ts";
import { streamOf } from "../../src/domain/noun.ts";
import { metadataLimits } from "../../src/domain/user/metadata.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { answerLimits } from "../../src/store/answer.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { granted } from "./stored.ts";
import { change, givenHuman, happen, loggedIn, notFound } from "./users.ts";

const { eraseUser, getPersonalData, setUserMetadata } = ManagementService.method;

interface Page {
  readonly user: { readonly place: string; readonly state: object | null } | null;
  readonly metadata: readonly { readonly state: { readonly key: string } }[];
  readonly sessions: readonly { readonly session: { readonly id: string } }[];
  readonly browsers: { readonly place: string; readonly count: number };
  readonly messages: readonly { readonly to: string | null; readonly sequence: string }[];
  readonly answers: { readonly count: number; readonly until: string | null };
  readonly events: readonly { readonly place: string; readonly event: Event }[];
}

interface Event {
  readonly type: { readonly type: string };
  readonly erased?: boolean;
  readonly sequence: string;
}

const typesOf = ({ events }: Pick<Page, "events">) => events.map(({ event }) => event.type.type);

/** A person with a session, and with a token whose hash is a secret. */
async function givenPerson({ server, unique }: World): Promise<string> {
  return await givenHuman(server, server.admin.organization, { userName: unique }, [
    ...loggedIn(`session-${unique}`),
    {
      type: "user.human.recovery_codes.set",
      payload: { hashes: [`hash-of-one-${unique}`, `hash-of-two-${unique}`] },
    },
    { type: "user.human.recovery_code.used", payload: { hash: `hash-of-one-${unique}` } },
    { type: "user.token.added", payload: { tokenId: "1", tokenHash: `hash-${unique}` } },
  ]);
}

const asked = async ({ call }: World, request: { userId: string; pageToken?: string }) =>
  granted<GetPersonalDataResponse>(await call(getPersonalData, request));

const codeOf = (code: string) =>
  ({ type: "user.human.email.code.added", payload: { code } }) as const;

/** Has the user make a change, whose answer is kept for a key; answers when that was. */
async function givenAnswer({ execute, store }: World["server"], userId: string, key: string) {
  const bytes = new TextEncoder().encode("sealed");
  const { kind } = await execute({
    actor: userId,
    writes: { user: { noun: user, id: userId } },
    relies: {},
    decide: () => ({ events: { user: [change("user.unlocked")] } }),
    answer: () => key,
    remembering: { key, keep: () => ({ request: bytes, answer: bytes, secret: undefined }) },
  });
  expect(kind).toBe("done");
  return (await store.readStream(streamOf(user, userId), 0, 1_000)).at(-1)?.timeMs ?? 0;
}

/** All pages, of which each but the last leads to the next. */
async function pagesOf(world: World, userId: string): Promise<readonly GetPersonalDataResponse[]> {
  const pages = [await asked(world, { userId })];
  for (let [last] = pages; last?.nextPageToken; ) {
    last = await asked(world, { userId, pageToken: last.nextPageToken });
    pages.push(last);
  }
  return pages;
}

runCases("GetPersonalData", [
  row("has what is kept now, and the events, without secrets", getPersonalData, async (world) => {
    const userId = await givenPerson(world);
    const value = Buffer.from("silver");
    granted(await world.call(setUserMetadata, { id: userId, key: "plan", value }));
    return {
      request: { userId },
      expected: {
        async ok({ json, nextPageToken }, events) {
          expect(events).toEqual([]);
          expect(nextPageToken).toBe("");
          expect(json).not.toMatch(new RegExp(`hash-[a-z-]*${world.unique}`));
          const page = JSON.parse(json) as Page;
          expect(page).toMatchObject({
            user: { place: "objects", state: { userName: world.unique, tokens: { 1: {} } } },
            metadata: [
              { place: "objects", state: { key: "plan", value: value.toString("base64") } },
            ],
            sessions: [{ place: "artifacts", session: { id: `session-${world.unique}` } }],
          });
          for (const name of ["tokenHash", "otpSecret", "recoveryCodes", "hashes", "hash"]) {
            expect(json).toContain(`"${name}":"***"`);
          }
          expect(new Set(page.events.map(({ place }) => place))).toEqual(new Set(["events"]));
          expect(typesOf(page)).toEqual([
            "user.human.added",
            "user.human.otp.added",
            "user.human.passwordless.token.added",
            "user.human.session.begun",
            "user.human.recovery_codes.set",
            "user.human.recovery_code.used",
            "user.token.added",
            "user.metadata.set",
          ]);
        },
      },
    };
  }),
  row("has what waits to be sent, and what is kept for later", getPersonalData, async (world) => {
    const { server, unique } = world;
    const email = `${unique}@example.com`.toLowerCase();
    const userId = await givenHuman(server, server.admin.organization, { email });
    await givenAnswer(server, userId, `1 ${unique}`);
    const newestMs = await givenAnswer(server, userId, `2 ${unique}`);
    await happen(server, [codeOf(`one-${unique}`), codeOf(`two-${unique}`)], { id: userId });
    // Twice in one browser; and somebody else has an answer, too.
    for (const time of [1, 2]) {
      await happen(server, loggedIn(`session-${time}-${unique}`), { id: userId });
    }
    const other = await givenHuman(server, server.admin.organization);
    await givenAnswer(server, other, `other ${unique}`);
    return {
      request: { userId },
      expected: {
        async ok({ json }) {
          const { browsers, messages, answers, events } = JSON.parse(json) as Page;
          const waiting = events.filter(({ event }) => event.type.type === codeOf("").type);
          const rest = { place: "messages", type: codeOf("").type };
          const due = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
          expect(messages).toEqual(
            waiting.map(({ event: { sequence } }, i) => {
              // Another code took the place of the first.
              return { ...rest, to: i === 0 ? null : email, sequence, due };
            }),
          );
          expect(waiting.length).toBe(2);
          expect(browsers).toEqual({ place: "objects", count: 1 });
          const until = new Date(newestMs + answerLimits.keptMs).toISOString();
          expect(answers).toEqual({ place: "answers", count: 2, until });
          expect(json).not.toContain(`two-${unique}`);
        },
      },
    };
  }),
  row("has the types of what was erased", getPersonalData, async (world) => {
    const userId = await givenPerson(world);
    await happen(world.server, [codeOf("waits")], { id: userId });
    await givenAnswer(world.server, userId, world.unique);
    const removed = await givenHuman(world.server, world.server.admin.organization, {}, [
      change("user.removed"),
    ]);
    granted(await world.call(eraseUser, { userId }));
    return {
      request: { userId },
      expected: {
        async ok({ json }) {
          const page = JSON.parse(json) as Page;
          expect(page).toMatchObject({ user: null, metadata: [], sessions: [], messages: [] });
          expect(page.browsers.count).toBe(0);
          expect(page.answers).toEqual({ place: "answers", count: 0, until: null });
          expect(json).not.toContain(world.unique);
          expect(typesOf(page).slice(-2)).toEqual(["user.removed", "user.erased"]);
          const erased = page.events.map(({ event }) => event.erased ?? false);
          expect(erased).toEqual([...page.events.slice(1).map(() => true), false]);
          const other = JSON.parse((await asked(world, { userId: removed })).json) as Page;
          expect(other.user).toBe(null);
          expect(other.events.some(({ event }) => event.erased)).toBe(false);
        },
      },
    };
  }),
  row("has no user of another organization", getPersonalData, async ({ server }) => {
    const other = await givenOrganization(server);
    const { userId } = await givenUser(server, other);
    return { request: { userId }, expected: notFound };
  }),
  row("has no page of another user, nor of none", getPersonalData, async (world) => {
    const userId = await givenPerson(world);
    const pageToken = Buffer.from(`5 ${world.server.admin.userId}`).toString("base64url");
    return {
      request: { userId, pageToken },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["page_token"] },
    };
  }),
]);

runCases(
  "GetPersonalData",
  [
    row("has pages that fit, whose events are all of them", getPersonalData, async (world) => {
      const userId = await givenPerson(world);
      const value = Buffer.alloc(4_096, "v");
      for (let key = 0; key < metadataLimits.keysOfUser; key += 1) {
        granted(await world.call(setUserMetadata, { id: userId, key: `key-${key}`, value }));
      }
      return {
        request: { userId },
        expected: {
          async ok({ json, nextPageToken }) {
            expect(nextPageToken).not.toBe("");
            expect((JSON.parse(json) as Page).metadata.length).toBe(metadataLimits.keysOfUser);
            const pages = await pagesOf(world, userId);
            const sizes = pages.map((page) => Buffer.byteLength(page.json));
            expect(Math.max(...sizes)).toBeLessThanOrEqual(personalDataLimits.pageBytes);
            // The next event would not have had room.
            expect(sizes[0]).toBeGreaterThan(personalDataLimits.pageBytes - 8_192);
            // Only first pages count as downloads: there were two.
            for (let read = 0; read < personalDataLimits.downloads; read += 1) {
              const pageToken = nextPageToken;
              expect((await asked(world, { userId, pageToken })).json).toBe(pages[1]?.json);
            }
            const events = pages.flatMap((page) => (JSON.parse(page.json) as Page).events);
            expect(events.length).toBe(7 + metadataLimits.keysOfUser);
            const sequences = events.map(({ event }) => BigInt(event.sequence));
            expect(new Set(sequences).size).toBe(sequences.length);
            expect(sequences).toEqual(sequences.toSorted((a, b) => Number(a - b)));
          },
        },
      };
    }),
    row("has so many messages that wait, and leaves out more", getPersonalData, async (world) => {
      const { messages } = personalDataLimits;
      const links = Array.from({ length: messages + 1 }, (_, i) => codeOf(`code-${i}`));
      const userId = await givenPerson(world);
      await happen(world.server, links.slice(1), { id: userId });
      expect((JSON.parse((await asked(world, { userId })).json) as Page).messages.length).toBe(
        messages,
      );
      await happen(world.server, links.slice(0, 1), { id: userId });
      return {
        request: { userId },
        expected: {
          async ok({ json }) {
            const { messages: shown, events } = JSON.parse(json) as Page;
            const waiting = events.filter(({ event }) => event.type.type === codeOf("").type);
            expect(waiting.length).toBe(messages + 1);
            const first = waiting.slice(0, messages).map(({ event }) => event.sequence);
            expect(shown.map(({ sequence }) => sequence)).toEqual(first);
          },
        },
      };
    }),
    row(
      "has no more pages in a day, no matter who wrote their tokens",
      getPersonalData,
      async (world) => {
        const userId = await givenPerson(world);
        const pageToken = Buffer.from(`1 ${userId}`).toString("base64url");
        for (let read = 0; read < personalDataLimits.pages; read += 1) {
          await asked(world, { userId, pageToken });
        }
        return {
          request: { userId, pageToken },
          expected: { code: 8, reason: "TOO_MANY_DOWNLOADS" },
        };
      },
    ),
    row("is read so often in a day, and then after it", getPersonalData, async (world) => {
      const userId = await givenPerson(world);
      for (let read = 0; read < personalDataLimits.downloads; read += 1) {
        await asked(world, { userId });
      }
      return {
        request: { userId },
        expected: { code: 8, reason: "TOO_MANY_DOWNLOADS" },
      };
    }),
  ],
  { isBrief: true },
);
