import { streamOf } from "../../domain/noun.ts";
import { type ProjectState, project } from "../../domain/project.ts";
import type { MachineProof } from "../../domain/user/state/machine-entry.ts";
import { hasProject, mayUseNow } from "../base/roles.ts";
import { findUserOnce, type Rows } from "../base/rows.ts";
import { oursOf } from "./client.ts";
import { apiAudience, audiencesIn, isForApi } from "./scopes.ts";

/** What is kept of an access token beside what the library does. */
export interface Extra {
  /** Where it comes in an envelope. */
  readonly format?: "jwt";
  /** Whom it is for, besides its client and the project of that. */
  readonly audience?: readonly string[];
  /** Of a machine that got the token by its secret: the hash of that. */
  readonly clientSecretHash?: string;
  /** Of one that got it by a key: the id of that. */
  readonly keyId?: string;
}

/** A token of the library that is about to be kept. */
interface Token {
  readonly accountId?: string;
  readonly client?: object | undefined;
  readonly clientId?: string | undefined;
  readonly scope?: string | undefined;
}

/** What is kept of it. */
export async function extraOf(parts: Rows, token: Token): Promise<Extra> {
  const { client, scope } = token;
  const projects = await findAudiences(parts, token);
  const audience = isForApi(scope) ? [...projects, apiAudience] : projects;
  const { isEnveloped = false, proof } = client === undefined ? {} : oursOf(client);
  return {
    ...(isEnveloped ? { format: "jwt" } : {}),
    ...(audience.length === 0 ? {} : { audience }),
    ...proof,
  };
}

/**
 * The projects that its scopes name; none that is not in use, that the organization of the client
 * does not have, or that is not for whom it stands for.
 */
async function findAudiences(
  parts: Rows,
  { accountId, client, clientId = "", scope }: Token,
): Promise<readonly string[]> {
  const asked = audiencesIn(scope);
  if (asked.length === 0) return [];
  const found = await findUserOnce(parts, accountId ?? clientId);
  const organization = client === undefined ? "" : oursOf(client).project.organization;
  const stored = await parts.store.load(asked.map((id) => streamOf(project, id)));
  const isFor = await Promise.all(
    asked.map(async (projectId, index) => {
      const text = stored[index]?.state;
      const state = text === undefined ? undefined : (JSON.parse(text) as ProjectState);
      if (found === undefined || state === undefined || state.isInactive) return false;
      const frame = { ...state, projectId };
      return (
        (await hasProject(parts, organization, frame)) && (await mayUseNow(parts, found, frame))
      );
    }),
  );
  return asked.filter((_, index) => isFor[index]);
}

/** What was kept of a token. */
export function readExtra({ extra }: { readonly extra?: unknown }): Extra {
  return (extra ?? {}) as Extra;
}

/** By what a machine got a token. */
export function proofOf(token: { readonly extra?: unknown }): MachineProof {
  const { keyId, clientSecretHash = "" } = readExtra(token);
  return keyId === undefined ? { clientSecretHash } : { keyId };
}

/** Whether a token that is kept comes in an envelope. */
export function isEnveloped(token: { readonly extra?: unknown }): boolean {
  return readExtra(token).format === "jwt";
}
