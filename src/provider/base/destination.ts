import type { Frame } from "../../domain/access.ts";
import type { ProjectState } from "../../domain/project.ts";
import { readInstance } from "../../execute/read-object.ts";
import type { AccountPart } from "../../pages/account-parts.ts";
import { findClient, type Rows } from "./rows.ts";

/** The client id of the account page, which is built in: it is no application of a project. */
export const accountClientId = "account";

/** The paths of the account page: where it is, and where a login to it leads back. */
export const accountPaths = { page: "/account", callback: "/account/callback" } as const;

/** The path of a part of the account page. */
export function partPath(part: AccountPart): string {
  return part === "overview" ? accountPaths.page : `${accountPaths.page}/${part}`;
}

/** Who may log in to what is of no project: everybody in use, who then sees their own brand. */
export const anybody = {
  ...{ projectId: "", hasProjectCheck: false, projectRoleCheck: false },
  privateLabelingSetting: "ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY",
} as const;

/** What a login needs to know of a project: who may log in, and whose brand is shown. */
export type LoginFrame = Frame & Pick<ProjectState, "privateLabelingSetting">;

/** What somebody logs in to. */
export interface Destination {
  /** The name that people gave it; undefined for the account page. */
  readonly name: string | undefined;
  /** The organization that it belongs to. */
  readonly organization: string;
  readonly project: LoginFrame;
}

/** What a client id leads to: the account page, or an application as its row has it now. */
export async function findDestination(
  rows: Rows,
  clientId: string,
): Promise<Destination | undefined> {
  if (clientId !== accountClientId) return await findClient(rows, clientId);
  const instance = await readInstance(rows.store);
  if (instance === undefined) return undefined;
  const { organization } = instance;
  return { name: undefined, organization, project: { organization, ...anybody } };
}
