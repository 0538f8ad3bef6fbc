import type { AppState, ClientConfig } from "../domain/app/app.ts";
import { foldName } from "../domain/name.ts";
import { idOf, streamOf } from "../domain/noun.ts";
import { type OrgState, org } from "../domain/org.ts";
import { type ProjectState, project } from "../domain/project.ts";
import { type UserState, user } from "../domain/user/user.ts";
import { foldText } from "../text/fold.ts";
import type { ProviderParts } from "./parts.ts";

/** An application with a client, as its rows have it now. */
export interface FoundApp {
  readonly name: string;
  readonly organization: string;
  readonly projectId: string;
  readonly project: ProjectState;
  readonly config: ClientConfig;
  readonly keys: NonNullable<AppState["keys"]>;
}

/** One that people log in to. */
export type FoundClient = FoundApp & {
  readonly config: Extract<ClientConfig, { readonly kind: "oidc" }>;
};

type Rows = Pick<ProviderParts, "store">;

/** The application that people log in to with the client id: see `findApp`. */
export async function findClient(rows: Rows, clientId: string): Promise<FoundClient | undefined> {
  const app = await findApp(rows, clientId);
  return app?.config.kind === "oidc" ? { ...app, config: app.config } : undefined;
}

/**
 * The application with the client id, where it and its project are in use. It is read each time, so
 * that whatever becomes of it acts at once, in every process.
 */
export async function findApp({ store }: Rows, clientId: string): Promise<FoundApp | undefined> {
  const stream = await store.find({ kind: "app.client", scope: "", value: clientId });
  if (stream === undefined) return undefined;
  const [stored] = await store.load([stream]);
  const state = stateOf<AppState>(stored?.state);
  const { config, name, projectId, keys = {}, isInactive } = state ?? {};
  if (isInactive || config === undefined || config.kind === "saml") return undefined;
  const [frame] = await store.load([streamOf(project, projectId ?? "")]);
  const found = stateOf<ProjectState>(frame?.state);
  if (found === undefined || found.isInactive) return undefined;
  const { organization } = found;
  return {
    name: name ?? "",
    organization,
    projectId: projectId ?? "",
    project: found,
    config,
    keys,
  };
}

/** The name of an organization. */
export async function findOrganizationName({ store }: Rows, id: string): Promise<string> {
  const [stored] = await store.load([streamOf(org, id)]);
  return stateOf<OrgState>(stored?.state)?.name ?? "";
}

/** A user as its row has it now. */
export interface FoundUser {
  readonly userId: string;
  readonly state: UserState;
  /** Unix milliseconds. */
  readonly changedMs: number;
}

/** The user with the id, in use or not. */
export async function findUser({ store }: Rows, userId: string): Promise<FoundUser | undefined> {
  const [stored] = await store.load([streamOf(user, userId)]);
  const state = stateOf<UserState>(stored?.state);
  return state && { userId, state, changedMs: stored?.changedMs ?? 0 };
}

/**
 * The person whom a login names: by the user name, or by an e-mail address that is verified and
 * that no other person has.
 */
export async function findPerson(rows: Rows, login: string): Promise<FoundUser | undefined> {
  const { store } = rows;
  const stream = await store.find({ kind: "user.name", scope: "", value: foldName(login) });
  if (stream !== undefined) return await findUser(rows, idOf(user, stream));
  if (!login.includes("@")) return undefined;
  const email = { kind: "text", field: "email", method: "equals", ignoreCase: true } as const;
  const where = { ...email, value: login.trim() };
  const page = await store.list({ kind: user.kind, where, offset: 0, limit: 2 });
  const [only, another] = page?.objects ?? [];
  if (only === undefined || another !== undefined) return undefined;
  const state = stateOf<UserState>(only.state);
  const isTheirs = state?.human?.isEmailVerified && sameText(state.human.email, where.value);
  if (state === undefined || !isTheirs) return undefined;
  return { userId: idOf(user, only.stream), state, changedMs: only.changedMs };
}

/** What a project says of who may log in to its applications. */
export type Frame = Pick<ProjectState, "organization" | "hasProjectCheck" | "projectRoleCheck">;

/** Whether the person may log in to the applications of the project. */
export function mayLogIn({ state }: FoundUser, frame: Frame): boolean {
  if (state.human === undefined || state.isInactive) return false;
  // Nobody holds a role of a project yet, and no project is granted to another organization.
  if (frame.projectRoleCheck) return false;
  return !frame.hasProjectCheck || state.organization === frame.organization;
}

function sameText(one: string, other: string): boolean {
  return foldText(one) === foldText(other);
}

function stateOf<State>(text: string | undefined): State | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as State);
}
