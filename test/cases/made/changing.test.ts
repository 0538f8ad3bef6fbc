import {
  create,
  type DescMethodUnary,
  fromJson,
  getOption,
  type JsonObject,
  type Message,
} from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { http } from "../../../gen/google/api/annotations_pb.js";
import type { ObjectDetails } from "../../../gen/iam/v1/object_pb.js";
import type { Operation } from "../../access/operation.ts";
import { type Case, type Expected, runCases, type World } from "../../harness/cases.ts";
import { granted } from "../stored.ts";
import { guarded, requestOn } from "./requests.ts";

// Rows that the contract makes, for every request that says at which sequence something changes,
// and for every one with a mask.

const changing = guarded.filter(({ method }) => "expectedSequence" in method.input.field);

/** A change that was made, the request of it, and the sequence to which that led. */
async function madeBy(world: World, method: DescMethodUnary, operation: Operation) {
  const request = await requestOn(world, operation);
  const answer = granted(await world.call(method, messageOf(method, request)));
  const { details } = answer as Message & { readonly details?: ObjectDetails };
  return { request, sequence: details?.sequence ?? 0n };
}

function messageOf(method: DescMethodUnary, request: JsonObject): Message {
  return fromJson(method.input, request) as Message;
}

/** Whether anything can be changed: members of projects can have one role only. */
function isChange({ operation: { events } }: (typeof changing)[number]): boolean {
  return events.length > 0;
}

/** What the same change comes to, made again. */
const again: { readonly [name: string]: Expected } = {
  // The secret takes the place of one that nobody compares it with.
  UpdateIDPOIDCConfig: { ok: (_message, events) => expect(events).toHaveLength(1) },
  UpdateHumanPhone: { code: 8, reason: "CODE_TOO_SOON" },
};

runCases(
  "sequences",
  changing.filter(isChange).flatMap(({ method, operation }): readonly Case[] => [
    {
      name: `${method.name} refuses a sequence that is past`,
      method,
      async run(world) {
        const { request, sequence } = await madeBy(world, method, operation);
        const past = { expectedSequence: String(sequence - 1n) };
        return {
          request: messageOf(method, { ...request, ...past }),
          expected: { code: 10, reason: "CHANGED_MEANWHILE" },
        };
      },
    },
    {
      name: `${method.name} takes the sequence that was told`,
      method,
      async run(world) {
        const { request, sequence } = await madeBy(world, method, operation);
        return {
          request: messageOf(method, { ...request, expectedSequence: String(sequence) }),
          expected: again[method.name] ?? { code: 9, reason: "NOTHING_CHANGED" },
        };
      },
    },
  ]),
);

/** Names that no mask may have: of ids, of what says how to change, and of what is in a field. */
function misnamed({ input, ...method }: DescMethodUnary): readonly string[] {
  const path = String(getOption({ input, ...method }, http).pattern.value);
  const ids = [...path.matchAll(/\{(\w+)/g)].map(([, name = ""]) => name);
  const nested = input.fields.flatMap(({ name, message }) => {
    return message === undefined ? [] : [`${name}.${message.fields[0]?.name}`];
  });
  return ["", "nothing", "expected_sequence", "update_mask", ...ids, ...nested];
}

runCases(
  "masks",
  changing
    .filter(({ method }) => "updateMask" in method.input.field)
    .flatMap(({ method, operation }) =>
      misnamed(method).map((name): Case => {
        return {
          name: `${method.name} refuses ${name === "" ? "an empty mask" : `the mask ${name}`}`,
          method,
          async run(world) {
            const request = messageOf(method, await requestOn(world, operation));
            const paths = name === "" ? [] : [name];
            return {
              request: { ...request, updateMask: create(FieldMaskSchema, { paths }) } as Message,
              expected: { code: 3, reason: "INVALID_FIELDS", fields: ["update_mask"] },
            };
          },
        };
      }),
    ),
);
