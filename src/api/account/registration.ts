import type { JsonObject, JsonValue, MessageShape } from "@bufbuild/protobuf";
import {
  type FinishPasskeyRequest,
  FinishPasskeyRequestSchema,
  InitializeRequestSchema,
  type PasskeyRegistrationSchema,
} from "../../../gen/iam/account/v1/account_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { line, rulesOf } from "../field-rule.ts";
import { password } from "../user/rules.ts";

/** What the domain asks of the fields that people send for themselves: see `fieldRules`. */
export const accountRules = [
  rulesOf(InitializeRequestSchema, { password }),
  rulesOf(FinishPasskeyRequestSchema, { name: line }, registrationViolations),
];

/** What a browser answers when it has created a passkey: bounded texts, as in the contract. */
export type PasskeyRegistration = Omit<
  MessageShape<typeof PasskeyRegistrationSchema>,
  "$typeName" | "$unknown"
>;

/** The limits of the contract, for what comes without a type: characters, and ways to a device. */
export const registrationLimits = {
  id: 1_364,
  clientDataJson: 4_096,
  attestationObject: 8_192,
  transport: 32,
  transports: 16,
} as const;

type Given = Pick<FinishPasskeyRequest, "credential" | "registration">;

/** The broken rules of what the browser has answered: it comes once, with a type or without. */
function registrationViolations({ credential, registration }: Given): readonly Violation[] {
  const isGivenOnce = (credential === undefined) !== (registration === undefined);
  if (isGivenOnce) return [];
  const given = credential === undefined ? "is required" : "must not be given with credential";
  return [{ field: "registration", description: given, names: ["credential"] }];
}

/** What the browser has answered; undefined where it came without a type, and is something else. */
export function registrationOf({
  credential,
  registration,
}: Given): PasskeyRegistration | undefined {
  return registration ?? readCredential(credential ?? {});
}

/** Reads RegistrationResponseJSON (WebAuthn Level 3, 5.1). */
function readCredential({ id, rawId, type, response }: JsonObject) {
  if (type !== "public-key" || rawId !== id || !isObject(response)) return undefined;
  const { clientDataJSON: clientDataJson, attestationObject, transports = [] } = response;
  const limits = registrationLimits;
  const isRead =
    isText(id, limits.id) &&
    isText(clientDataJson, limits.clientDataJson) &&
    isText(attestationObject, limits.attestationObject) &&
    isTexts(transports, limits.transports, limits.transport);
  return isRead
    ? { id, clientDataJson, attestationObject, transports: [...transports] }
    : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: JsonValue | undefined, charactersMax: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= charactersMax;
}

function isTexts(
  value: JsonValue,
  countMax: number,
  charactersMax: number,
): value is readonly string[] & JsonValue {
  return (
    Array.isArray(value) &&
    value.length <= countMax &&
    value.every((one) => typeof one === "string" && one.length <= charactersMax)
  );
}
