import { v7 } from "uuid";
import { type App, callback, type Parties } from "./relying.ts";

/** A login policy that asks for no more than none does. */
const lenient = {
  allowUsernamePassword: true,
  passwordlessType: "PASSWORDLESS_TYPE_ALLOWED",
} as const;

/** An organization with a project, and with a login policy of its own where one is given. */
export interface Ruled {
  readonly organization: string;
  givenApp(given?: object): Promise<App>;
  /** Has the organization another policy from now on. */
  change(policy: object): Promise<unknown>;
}

/** Creates one whose policy says what is given. */
export async function givenRuled(parties: Parties, policy?: object): Promise<Ruled> {
  const { id } = await parties.call("POST", "/management/v1/orgs", { name: v7() });
  const organization = String(id);
  const path = "/management/v1/policies/login";
  const write = (verb: string, given: object) =>
    parties.call(verb, path, { ...lenient, ...given }, organization);
  if (policy !== undefined) {
    await write("POST", { secondFactors: ["SECOND_FACTOR_TYPE_OTP"], ...policy });
  }
  const named = { name: v7() };
  const project = await parties.call("POST", "/management/v1/projects", named, organization);
  return {
    organization,
    givenApp: (given = {}) =>
      parties.givenApp({ redirectUris: [callback], ...given }, String(project.id), organization),
    change: (given) => write("PUT", given),
  };
}

/** The scope that names an organization. */
export function scopeOf({ organization }: Pick<Ruled, "organization">): string {
  return `openid urn:iam:org:id:${organization}`;
}
