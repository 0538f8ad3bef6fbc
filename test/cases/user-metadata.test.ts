import { type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type {
  ListUserMetadataResponse,
  SetUserMetadataResponse,
} from "../../gen/iam/management/v1/metadata_pb.js";
import { metadataLimits, metadataOf } from "../../src/domain/user/metadata.ts";
import { metadataId } from "../../src/secrets/metadata-id.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { detailsJson, eventsOf, oneClient } from "./given.ts";
import { bytes, givenKeys, keptOf, numbered } from "./metadata.ts";
import { fact, granted } from "./stored.ts";
import { escalation, outrank } from "./users.ts";

// What administrators keep with a user: keys with values, which the service does not read.

const { listUserMetadata, removeUser, removeUserMetadata, setUserMetadata } =
  ManagementService.method;
const unchanged = { code: 9, reason: "NOTHING_CHANGED" };
const noKey = { code: 5, reason: "USER_METADATA_NOT_FOUND" };
const { keysOfUser } = metadataLimits;

/** A row in which a key is set, and can be read afterwards. */
function takes(name: string, key: string, value: Uint8Array, only?: Case["only"]): Case {
  return row(
    `takes ${name}`,
    setUserMetadata,
    async (world) => {
      const id = await givenKeys(world);
      return {
        request: { id, key, value },
        expected: {
          async ok() {
            const answer = await world.call(listUserMetadata, { id });
            const { result } = granted<ListUserMetadataResponse>(answer);
            expect(result.map((one) => [one.key, Buffer.from(one.value)])).toEqual([
              [key, Buffer.from(value)],
            ]);
          },
        },
      };
    },
    only,
  );
}

runCases("SetUserMetadata", [
  row("records the value, and answers where it stands", setUserMetadata, async (world) => {
    const { server } = world;
    const id = await givenKeys(world, "other");
    return {
      request: { id, key: "plan", value: bytes("gold") },
      expected: {
        async ok(message, events) {
          const stream = `metadata-${metadataId(id, "plan")}`;
          expect(events.map(fact)).toEqual([
            {
              ...{ stream, version: 1, type: "user.metadata.set" },
              ...{ owner: server.admin.organization, actor: server.admin.userId },
              payload: { userId: id, key: "plan", value: "Z29sZA==" },
            },
          ]);
          const details = detailsJson(await eventsOf(server, stream));
          expect(toJson(setUserMetadata.output, message)).toEqual({ id, details });
        },
      },
    };
  }),
  row("replaces the value of a key", setUserMetadata, async (world) => {
    const { server } = world;
    const id = await givenKeys(world, "plan", "other");
    return {
      request: { id, key: "plan", value: bytes("gold") },
      expected: {
        async ok(message) {
          const stream = `metadata-${metadataId(id, "plan")}`;
          const details = detailsJson(await eventsOf(server, stream));
          expect(details.creationDate).not.toBe(details.changeDate);
          expect(toJson(setUserMetadata.output, message)).toEqual({ id, details });
          expect(await keptOf(world, id)).toEqual([
            ["plan", "gold"],
            ["other", "other"],
          ]);
        },
      },
    };
  }),
  row("is refused the second time", setUserMetadata, async (world) => ({
    request: { id: await givenKeys(world, "plan"), key: "plan", value: bytes("plan") },
    expected: unchanged,
  })),
  row("sets a key again that was removed", setUserMetadata, async (world) => {
    const id = await givenKeys(world, "plan");
    granted(await world.call(removeUserMetadata, { id, key: "plan" }));
    return {
      request: { id, key: "plan", value: bytes("plan") },
      expected: { ok: async () => expect(await keptOf(world, id)).toEqual([["plan", "plan"]]) },
    };
  }),
  takes("any bytes", "plan", Uint8Array.of(0, 255, 10, 0)),
  takes("a key that paths have to escape", "a/b?c#d%e_ü 😀", bytes("v")),
  takes("a key of 200 characters", "😀".repeat(200), bytes("v")),
  takes("a value of 4,096 bytes", "plan", new Uint8Array(4_096).fill(7)),
  row("keeps keys apart by their case", setUserMetadata, async (world) => {
    const id = await givenKeys(world, "plan");
    return {
      request: { id, key: "Plan", value: bytes("plan") },
      expected: { ok: async () => expect(await keptOf(world, id)).toHaveLength(2) },
    };
  }),
  row("refuses a key that begins with an underscore", setUserMetadata, async (world) => ({
    request: { id: await givenKeys(world), key: "_plan", value: bytes("v") },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["key"] },
  })),
  row("refuses a key that leads a path elsewhere", setUserMetadata, async (world) => ({
    request: { id: await givenKeys(world), key: "../plan", value: bytes("v") },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["key"] },
  })),
  row("refuses a key with tabs, which clients take out", setUserMetadata, async (world) => ({
    request: { id: await givenKeys(world), key: ".\t./plan", value: bytes("v") },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["key"] },
  })),
  row(
    "takes as many keys as a user may have",
    setUserMetadata,
    async (world) => {
      const id = await givenKeys(world, ...numbered(keysOfUser - 1));
      return {
        request: { id, key: "last", value: bytes("v") },
        expected: { ok: async () => expect(await keptOf(world, id)).toHaveLength(keysOfUser) },
      };
    },
    oneClient,
  ),
  row(
    "refuses one key more",
    setUserMetadata,
    async (world) => ({
      request: { id: await givenKeys(world, ...numbered(keysOfUser)), key: "k", value: bytes("v") },
      expected: { code: 8, reason: "LIMIT_REACHED" },
    }),
    oneClient,
  ),
  row(
    "replaces a value where there is room for no other key",
    setUserMetadata,
    async (world) => {
      const id = await givenKeys(world, ...numbered(keysOfUser));
      return {
        request: { id, key: "k0", value: bytes("v") },
        expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
      };
    },
    oneClient,
  ),
  row("takes one of a machine", setUserMetadata, async (world) => {
    const { userId: id } = await givenUser(world.server, world.server.admin.organization);
    return {
      request: { id, key: "plan", value: bytes("gold") },
      expected: { ok: async () => expect(await keptOf(world, id)).toEqual([["plan", "gold"]]) },
    };
  }),
  refusesLesser(setUserMetadata, { key: "plan", value: bytes("v") }),
]);

/** The row of a caller who holds less than the user. */
function refusesLesser(method: DescMethodUnary, more: object): Case {
  return row("refuses who holds less than the user", method, async (world) => {
    const id = await givenKeys(world, "known");
    return {
      request: { id, ...more },
      token: await outrank(world.server, id),
      expected: escalation,
    };
  });
}

runCases("RemoveUserMetadata", [
  row("removes a key, and leaves the others", removeUserMetadata, async (world) => {
    const { server } = world;
    const id = await givenKeys(world, "plan", "team");
    return {
      request: { id, key: "plan" },
      expected: {
        async ok(message, events) {
          const stream = `metadata-${metadataId(id, "plan")}`;
          expect(events.map(fact)).toEqual([
            {
              ...{ stream, version: 2, type: "user.metadata.erased" },
              ...{ owner: server.admin.organization, actor: server.admin.userId },
              payload: {},
            },
          ]);
          const details = detailsJson(await eventsOf(server, stream));
          expect(toJson(removeUserMetadata.output, message)).toEqual({ details });
          expect(await keptOf(world, id)).toEqual([["team", "team"]]);
        },
      },
    };
  }),
  row("refuses a key that is removed", removeUserMetadata, async (world) => {
    const id = await givenKeys(world, "plan");
    granted(await world.call(removeUserMetadata, { id, key: "plan" }));
    return { request: { id, key: "plan" }, expected: noKey };
  }),
  row("refuses a key of somebody else", removeUserMetadata, async (world) => {
    await givenKeys(world, "plan");
    return { request: { id: await givenKeys(world), key: "plan" }, expected: noKey };
  }),
  row(
    "makes room for another key",
    removeUserMetadata,
    async (world) => {
      const id = await givenKeys(world, ...numbered(keysOfUser));
      return {
        request: { id, key: "k0" },
        expected: {
          async ok() {
            const answer = await world.call(setUserMetadata, { id, key: "k", value: bytes("v") });
            expect(granted<SetUserMetadataResponse>(answer).id).toBe(id);
          },
        },
      };
    },
    oneClient,
  ),
  refusesLesser(removeUserMetadata, { key: "known" }),
]);

runCases("metadata of removed users", [
  row("go in the same commit", removeUser, async (world) => {
    const { server } = world;
    const id = await givenKeys(world, "plan", "team");
    const other = await givenKeys(world, "plan");
    return {
      request: { id },
      expected: {
        async ok({ details }, events) {
          const types = events.map(({ type }) => type);
          const removed = "user.metadata.erased";
          expect(types).toEqual([removed, removed, "user.removed"]);
          expect(details?.sequence).toBe(events[2]?.position);
          expect((await server.store.holders(metadataOf(id), 1)).total).toBe(0);
          expect(await keptOf(world, other)).toEqual([["plan", "plan"]]);
        },
      },
    };
  }),
]);
