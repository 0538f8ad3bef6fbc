import { type DescMessage, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { limitsOf, withField } from "../harness/boundaries.ts";
import { methods } from "../harness/contract.ts";
import { messageProblems } from "./document.ts";

// The schemas take and refuse what the rules of the contract do, as test/contract.test.ts shows.

/** Rules that no keyword states, and those of bytes, which base64 hides up to two of. */
const unsaid = [
  "iam.account.v1.InitializeRequest password string.min_len",
  "iam.admin.v1.ListEventsRequest sequence uint64.lte",
  "iam.asset.v1.UploadRequest data bytes.max_len",
  "iam.management.v1.AddMachineKeyRequest public_key bytes.max_len",
  "iam.management.v1.AddMachineUserRequest user_id user_id.empty",
  "iam.management.v1.ImportHumanUserRequest password string.min_len",
  "iam.management.v1.SetUserMetadataRequest value bytes.max_len",
  "iam.v1.ListQuery offset uint64.lte",
];

test("a schema takes what is at a limit and refuses what is past it, but for a few rules", () => {
  const unary = methods.filter(({ methodKind }) => methodKind === "unary");
  const requests = new Set(unary.flatMap(({ input }) => withInner(input)));
  const limits = [...requests].flatMap((message) =>
    limitsOf(message).map(({ field, at, rule, good, bad }) => ({
      name: `${message.typeName} ${field.name}${at} ${rule}`,
      isGoodTaken: isTaken(message, withField(message, field, good)),
      isBadTaken: isTaken(message, withField(message, field, bad)),
    })),
  );
  const namesOf = (some: typeof limits) => some.map(({ name }) => name).sort();
  expect(limits.length).toBeGreaterThan(1_000);
  expect(namesOf(limits.filter(({ isGoodTaken }) => !isGoodTaken))).toEqual([]);
  expect(namesOf(limits.filter(({ isBadTaken }) => isBadTaken))).toEqual(unsaid);
});

/** Whether the schema takes a message, written as JSON has it: with enums by name, for example. */
function isTaken(message: DescMessage, json: JsonObject): boolean {
  const whole = fromJson(message, json);
  // What is empty is written only where the message has it, so that it is not there otherwise.
  const empty = Object.entries(json).filter(([, value]) => value === "");
  const written = { ...(toJson(message, whole) as JsonObject), ...Object.fromEntries(empty) };
  return messageProblems(message.typeName, written).length === 0;
}

/** A message with all of ours that are in it. */
function withInner(message: DescMessage, found = new Set<DescMessage>()): readonly DescMessage[] {
  if (found.has(message) || !message.file.name.startsWith("iam/")) return [...found];
  found.add(message);
  for (const { message: inner } of message.fields) if (inner) withInner(inner, found);
  return [...found];
}
