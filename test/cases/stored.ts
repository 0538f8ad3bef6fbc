import { createHash } from "node:crypto";
import type { Message } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { OIDCSettings } from "../../src/domain/app/app.ts";
import type { RecordedEvent } from "../../src/event.ts";
import type { Answer, ClientName } from "../harness/clients.ts";

/** What an event says, its payload read. Its position and time are what `detailsOf` is about. */
export function fact({ stream, version, type, owner, actor, payload }: RecordedEvent) {
  return { stream, version, type, owner, actor, payload: JSON.parse(payload) as object };
}

/** The details that answer a creation by these events. */
export function detailsOf(events: readonly RecordedEvent[]) {
  const { position, timeMs, owner } = events.at(-1)!;
  const time = timestampFromMs(timeMs);
  return { sequence: position, creationDate: time, changeDate: time, resourceOwner: owner };
}

/** The form of a secret in events, written out here so that a change in the service shows. */
export function sha256(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The message of a call that the case needs to have succeeded. */
export function granted<M extends Message>(answer: Answer): M {
  if (!answer.ok) throw new Error(`a call of the test was refused: ${answer.message}`);
  return answer.message as M;
}

/** Settings as they are stored where the request says nothing. */
export const oidcDefaults: OIDCSettings = {
  redirectUris: [],
  responseTypes: ["CODE"],
  grantTypes: ["AUTHORIZATION_CODE"],
  appType: "WEB",
  authMethod: "BASIC",
  postLogoutRedirectUris: [],
  version: "1.0",
  devMode: false,
  accessTokenType: "BEARER",
  accessTokenRoleAssertion: false,
  idTokenRoleAssertion: false,
  idTokenUserinfoAssertion: false,
  clockSkewNanos: 0,
  additionalOrigins: [],
  skipNativeAppSuccessPage: false,
};

/** A test of a script that does nothing, with time enough on a busy machine. */
export const scripted = {
  ...{ name: "greet", script: "function greet() {}", flowType: "2", triggerType: "4" },
  timeout: { seconds: 20n },
};

/** For values that cannot be said in JSON. */
export const binaryOnly: {
  readonly clients: readonly ClientName[];
  readonly because: string;
} = {
  clients: ["connect-proto", "grpc", "grpc-js", "grpc-web"],
  because: "canonical JSON has no form for the value, so JSON clients refuse to write it",
};
