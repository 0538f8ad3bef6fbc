import type { Frame } from "../../domain/access.ts";
import { type AppState, app, type ClientConfig } from "../../domain/app/app.ts";
import { idOf, streamOf } from "../../domain/noun.ts";
import type { ProjectState } from "../../domain/project.ts";
import type { ClaimedUser } from "../../domain/user/claims.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { readCounting } from "../../execute/owner.ts";
import type { StreamObject } from "../../store/objects.ts";
import type { ProviderParts } from "./parts.ts";

/** An application with a client, as its rows have it now. */
export interface FoundApp {
  readonly appId: string;
  readonly state: AppState;
  readonly name: string;
  readonly organization: string;
  readonly projectId: string;
  readonly project: ProjectState & Frame;
  readonly config: ClientConfig;
  readonly keys: NonNullable<AppState["keys"]>;
}

/** One that people log in to. */
export type FoundClient = FoundApp & {
  readonly config: Extract<ClientConfig, { readonly kind: "oidc" }>;
};

/** Where rows are read. */
export type Rows = Pick<ProviderParts, "store" | "objects" | "clientStreams" | "unit">;

/** The application that people log in to with the client id: see `findApp`. */
export async function findClient(rows: Rows, clientId: string): Promise<FoundClient | undefined> {
  const app = await findApp(rows, clientId);
  return app?.config.kind === "oidc" ? { ...app, config: app.config } : undefined;
}

/**
 * The application with the client id, where it and its project are in use. It is read anew in each
 * request, so that whatever becomes of it acts at once, in every process.
 */
export async function findApp(
  { objects, clientStreams, unit }: Rows,
  clientId: string,
): Promise<FoundApp | undefined> {
  return await unit.once(`app ${clientId}`, async () => {
    const streams = await clientStreams.of(clientId);
    return appOf(
      streams === undefined ? [] : await readCounting(objects, objects.current, streams),
    );
  });
}

/** The application whose row is the first, where both are in use; its project is the other. */
function appOf([stored, frame]: readonly StreamObject[]): FoundApp | undefined {
  const state = stored?.state as AppState | undefined;
  const { config, name, projectId, keys = {}, isInactive } = state ?? {};
  if (state === undefined || isInactive || !config || config.kind === "saml") return undefined;
  const found = frame?.state as ProjectState | undefined;
  if (found === undefined || found.isInactive) return undefined;
  const { organization } = found;
  return {
    ...{ appId: idOf(app, stored?.stream ?? ""), state },
    name: name ?? "",
    organization,
    projectId: projectId ?? "",
    project: { ...found, projectId: projectId ?? "" },
    config,
    keys,
  };
}

/** A user as its row has it now. */
export type FoundUser = ClaimedUser;

/** The user with the id, in use or not. */
export async function findUser(
  { objects }: Pick<Rows, "objects">,
  userId: string,
): Promise<FoundUser | undefined> {
  const [stored] = await readCounting(objects, objects.current, [streamOf(user, userId)]);
  return userOf(stored, userId);
}

/**
 * The same as this request has read it first: for what judges a token, and not behind an append of
 * the request.
 */
export async function findUserOnce(rows: Rows, userId: string): Promise<FoundUser | undefined> {
  return await rows.unit.once(`user ${userId}`, () => findUser(rows, userId));
}

function userOf(stored: StreamObject | undefined, userId: string): FoundUser | undefined {
  const state = stored?.state as UserState | undefined;
  return state && { userId, state };
}

/** Both at once, of one look at the log: see `findUser` and `findApp`. */
export async function findUserAndApp(
  { objects, clientStreams }: Rows,
  userId: string,
  clientId: string,
): Promise<readonly [subject: FoundUser | undefined, client: FoundApp | undefined]> {
  const streams = (await clientStreams.of(clientId)) ?? [];
  const all = [streamOf(user, userId), ...streams];
  const [stored, ...found] = await readCounting(objects, objects.current, all);
  return [userOf(stored, userId), appOf(found)];
}
