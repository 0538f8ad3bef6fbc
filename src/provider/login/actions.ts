import {
  type AskedMetadata,
  type Comer,
  type ExternalComer,
  shapeComer,
} from "../../domain/comer.ts";
import {
  type AuthMethod,
  contextOfArrival,
  contextOfNew,
  contextOfPerson,
  type ToldLogin,
} from "../../domain/comer-context.ts";
import { isCode } from "../../domain/user/login/rules.ts";
import type { Factor } from "../../domain/user/state/factor.ts";
import type { Usable } from "../../execute/providers.ts";
import type { FoundUser } from "../base/rows.ts";
import type { Identified } from "../external/protocol.ts";
import { keepMetadata } from "../token/action-effects.ts";
import { grantRoles } from "../token/action-grants.ts";
import { findMetadata } from "../token/beyond.ts";
import {
  findToldOrganization,
  type RunningPoint,
  runActions,
  type Work,
} from "../token/running.ts";
import type { Open } from "./open.ts";

/** The flow of logins at providers, and that of logins here. */
type LoginFlow = 1 | 3;

/** Somebody on the way through the actions of a trigger, and what those are told of the login. */
interface Shaping<One extends Comer> {
  readonly comer: One;
  readonly login: ToldLogin;
}

/**
 * Has actions shape somebody who has come from a provider: those of the organization of the person
 * who is linked, else of the one that the login is of.
 */
export async function shapeArrival(
  open: Open,
  { id: idpId }: Usable,
  { comer, claims, tokens }: Omit<Identified, "identity"> & { readonly comer: ExternalComer },
  person: FoundUser | undefined,
): Promise<ExternalComer> {
  const { site } = open;
  const organization = person?.state.organization ?? open.organization;
  if (organization === undefined) return comer;
  const told = {
    ...{ idpId, claims, ...(person ? { person } : {}) },
    ...(site.actionsTokens && tokens ? { tokens } : {}),
  };
  return await shapeAt(open, { organization, flow: 1, trigger: 1 }, comer, (now, login) =>
    contextOfArrival(now, { ...told, ...login }),
  );
}

/** Has the actions of an organization shape somebody before the person is created there. */
export async function shapeNew<One extends Comer>(
  open: Open,
  flow: LoginFlow,
  { comer, organization }: { readonly comer: One; readonly organization: string },
): Promise<One> {
  return await shapeAt(open, { organization, flow, trigger: 2 }, comer, contextOfNew);
}

/** Has the actions of a trigger shape somebody, one after the other. */
async function shapeAt<One extends Comer>(
  open: Open,
  point: RunningPoint,
  comer: One,
  contextOf: (comer: One, login: ToldLogin) => ReturnType<Work<Shaping<One>>["contextOf"]>,
): Promise<One> {
  const done = await runActions<Shaping<One>>(open.site, point, {
    begin: async () => ({ comer, login: await loginOf(open, point.organization) }),
    contextOf: ({ comer: now, login }) => contextOf(now, login),
    take: ({ comer: now, login }, { id: actionId }, effects) => ({
      comer: shapeComer(now, { actionId, effects }),
      login,
    }),
  });
  return done?.comer ?? comer;
}

/** Keeps with a person who was created what actions have asked for, and has them grant roles. */
export async function finishNew(
  open: Open,
  flow: LoginFlow,
  { found, metadata }: { readonly found: FoundUser; readonly metadata: Comer["metadata"] },
): Promise<void> {
  const { site } = open;
  const { organization } = found.state;
  await keepAsked(open, found, metadata);
  await runActions<ToldLogin>(
    site,
    { organization, flow, trigger: 3 },
    {
      begin: () => loginOf(open, organization),
      contextOf: (login) => contextOfPerson(found, login),
      async take(login, running, effects) {
        await grantRoles(site, { subject: found, running }, effects);
        return login;
      },
    },
  );
}

/** Runs the actions behind a login with factors of this service. */
export async function afterLogin(
  open: Open,
  found: FoundUser,
  factors: readonly Factor[],
): Promise<void> {
  if (factors.includes("external")) return;
  const { organization } = found.state;
  const asked = await runActions<{ login: ToldLogin; metadata: readonly AskedMetadata[] }>(
    open.site,
    { organization, flow: 3, trigger: 1 },
    {
      begin: async () => ({ login: await loginOf(open, organization), metadata: [] }),
      contextOf: ({ login }) => contextOfPerson(found, login, methodOf(factors)),
      take: ({ login, metadata }, { id: actionId }, effects) => ({
        login,
        metadata: [
          ...metadata,
          ...effects.map(({ name: key, value }) => ({ actionId, key, value })),
        ],
      }),
    },
  );
  await keepAsked(open, found, asked?.metadata ?? []);
}

/** Keeps the metadata with a person that actions of its organization have asked for. */
export async function keepAsked(
  { site }: Pick<Open, "site">,
  subject: FoundUser,
  metadata: readonly AskedMetadata[],
): Promise<void> {
  if (metadata.length === 0) return;
  let kept = await findMetadata(site, subject.userId);
  for (const { actionId: id, key: name, value } of metadata) {
    const effects = [{ kind: "setMetadata", name, value }] as const;
    kept = await keepMetadata(site, { subject, running: { id }, kept }, effects);
  }
}

async function loginOf({ site, details }: Open, organization: string): Promise<ToldLogin> {
  const { client_id, redirect_uri, login_hint } = details.params;
  return {
    organization: await findToldOrganization(site, organization),
    applicationId: String(client_id),
    callbackUri: String(redirect_uri ?? ""),
    loginHint: String(login_hint ?? ""),
  };
}

function methodOf(factors: readonly Factor[]): AuthMethod {
  if (factors.includes("passkey")) return "passwordless";
  return factors.some(isCode) ? "OTP" : "password";
}
