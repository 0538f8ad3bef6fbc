import {
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { rowOf } from "../access/operation.ts";
import { operations } from "../access/operations.ts";
import type { Case, World } from "../harness/cases.ts";
import { requestOn } from "./made/requests.ts";
import { granted } from "./stored.ts";

/** An update with a mask, in JSON: how what it changes is read, and other values of fields. */
export interface Masked {
  readonly method: DescMethodUnary;
  readonly read: DescMethodUnary;
  /** The request that reads, by the ids of the one that changes; left out, it has the same. */
  reading?(ids: JsonObject): JsonObject;
  /** Where the settings stand in what is read, under the names that the update has for them. */
  readonly at: readonly string[] | ((answer: JsonObject) => JsonObject);
  readonly others: JsonObject;
}

function messageOf<Method extends DescMethodUnary>({ input }: Method, request: JsonObject) {
  return fromJson(input, request) as Message;
}

/** The settings as they are read. */
async function settingsOf({ call }: World, { read, reading, at }: Masked, ids: JsonObject) {
  const request = messageOf(read, reading?.(ids) ?? ids);
  const answer = granted<Message>(await call(read, request));
  const whole: JsonValue = toJson(read.output, answer, { alwaysEmitImplicit: true });
  if (typeof at === "function") return at(whole as JsonObject);
  return at.reduce((value, name) => (value as JsonObject)[name] ?? {}, whole) as JsonObject;
}

/** The ids of an object that the update may change, made anew. */
async function idsFor(world: World, { method }: Masked): Promise<JsonObject> {
  const request = await requestOn(world, operations[rowOf(method)]!);
  const isId = (name: string) => /Id$|^id$|^roleKey$/.test(name) && name !== "clientId";
  return Object.fromEntries(Object.entries(request).filter(([name]) => isId(name)));
}

/** Settings as the update takes them. */
function toSend({ method }: Masked, settings: JsonObject): JsonObject {
  const names = method.input.fields.map(({ jsonName }) => jsonName);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
}

/** The update takes what was read as no change, and changes each of the others alone. */
export function maskRows(update: Masked): readonly Case[] {
  const { method, others } = update;
  return [
    {
      name: `${method.name} takes what was read, and finds nothing changed`,
      method,
      async run(world) {
        const ids = await idsFor(world, update);
        const settings = toSend(update, await settingsOf(world, update, ids));
        return {
          request: messageOf(method, { ...settings, ...ids }),
          expected: { code: 9, reason: "NOTHING_CHANGED" },
        };
      },
    },
    ...Object.entries(others).map(
      ([name, value]): Case => ({
        name: `${method.name} changes ${name} alone`,
        method,
        async run(world) {
          const ids = await idsFor(world, update);
          const before = await settingsOf(world, update, ids);
          const request = { ...others, ...ids, [name]: value, updateMask: name };
          return {
            request: messageOf(method, request),
            expected: {
              async ok(_message, events) {
                expect(events).toHaveLength(1);
                const after = await settingsOf(world, update, ids);
                expect(after[name]).toEqual(value);
                expect({ ...after, ...told }).toEqual({ ...before, [name]: value, ...told });
              },
            },
          };
        },
      }),
    ),
  ];
}

/** What is told of settings follows from them, and where they stand from the events. */
const told = {
  ...{ details: {}, complianceProblems: [], noneCompliant: false, allowedOrigins: [] },
};
