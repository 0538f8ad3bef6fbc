import type { PrivateLabelingSetting } from "../project.ts";

/** The organizations whose brand a login may show. */
export interface LoginOrganizations {
  /** The one that the login began with; undefined for the instance. */
  readonly page: string | undefined;
  readonly project: string;
  /** That of the page, until somebody has proven who they are. */
  readonly person: string | undefined;
}

/** The organization whose brand a login shows; undefined for the instance. */
export function labelingOf(
  setting: PrivateLabelingSetting,
  { page, project, person }: LoginOrganizations,
): string | undefined {
  switch (setting) {
    case "UNSPECIFIED":
      return page;
    case "ENFORCE_PROJECT_RESOURCE_OWNER_POLICY":
      return project;
    case "ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY":
      return person;
  }
}
