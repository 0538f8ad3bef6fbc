import type { Client, Provider, TokenEndpointGrantContext } from "oidc-provider";
import { isHashOf } from "../../secrets/tokens.ts";
import type { Traces } from "../base/from.ts";
import { isFirst } from "../token/assertion.ts";
import type { Claims } from "../token/jws.ts";
import { namingScopesIn } from "../token/scopes.ts";
import { type Bound, isHere, type NewLogin, saveBound } from "./binding.ts";
import { ofMade } from "./clients.ts";
import { ofDevices } from "./device.ts";
import { recordEnd } from "./ending.ts";
import { findEnveloped, type Token, type WithValue, withEnvelope } from "./enveloping.ts";
import { algorithmFor, allowForClock, ownClaims } from "./id-token.ts";
import { getter, method, type Patch, type Reason } from "./replace.ts";
import type { Screens } from "./screens.ts";
import { orRefuse } from "./standards.ts";

const ofClients: readonly Patch[] = [
  method<Client, [secret: string], unknown>(
    "Client.prototype.compareClientSecret",
    {
      takes: 1,
      why: "What is kept is the hash of the secret, so what is shown is hashed.",
      without: "No application proves itself by its secret, and the hash would do for it.",
    },
    () =>
      async function compare(shownSecret) {
        return isHashOf(this.clientSecret ?? "", shownSecret);
      },
  ),
  method<object, [], void>(
    "Client.Schema.prototype.redirectUris",
    {
      takes: 0,
      // That one of them is asked for is checked all the same.
      why: "Which URIs an application may have was judged when it was created.",
      without: "Applications that were created with a warning cannot log anybody in.",
    },
    () => () => {},
  ),
  method<Client, [], boolean>(
    "Client.prototype.includeSid",
    {
      takes: 0,
      why: "Each id token names its session.",
      without: "An application cannot tell whose session a logout token ends.",
    },
    () => () => true,
  ),
  method<Client, [type: string], boolean>(
    "Client.prototype.grantTypeAllowed",
    {
      takes: 1,
      why: "RFC 6749, 5.2 has `unauthorized_client` for a grant that is not allowed.",
      without: "The library says `invalid_request`.",
    },
    (isAllowed, given) =>
      function mayUse(type) {
        const asked = { route: "token", name: "grant_type", value: type, what: "grant type" };
        return orRefuse(isAllowed.call(this, type), asked, given);
      },
  ),
  method<Client, [type: string], boolean>(
    "Client.prototype.responseTypeAllowed",
    {
      takes: 1,
      why: "RFC 6749, 4.1.2.1 has the same for a response type.",
      without: "The library says `invalid_request`.",
    },
    (isAllowed, given) =>
      function mayAskFor(type) {
        const name = "response_type";
        const asked = { route: "authorization", name, value: type, what: name };
        return orRefuse(isAllowed.call(this, type), asked, given);
      },
  ),
  method<unknown, [clientId: string, jti: string, exp: number], Promise<boolean>>(
    "ReplayDetection.unique",
    {
      takes: 3,
      why: "The library looks first and keeps then, and introspection knows nothing of it.",
      without: "Of many requests that show one assertion at once, all are the first.",
    },
    (_unique, { parts }) =>
      (clientId, jti, exp) =>
        isFirst(parts, { clientId, jti, exp }),
  ),
];

type Session = InstanceType<Provider["Session"]>;

const ofSessions: readonly Patch[] = [
  getter<unknown, readonly string[]>(
    "Session.IN_PAYLOAD",
    {
      why: "What is kept of a session says from where it was begun.",
      without: "The page of the own sessions shows no browser and no network.",
    },
    (names) =>
      function kept() {
        return [...names.call(this), "from" satisfies keyof Traces];
      },
  ),
  method<Session, [clientId: string, sid?: string], string | undefined>(
    "Session.prototype.sidFor",
    {
      takes: 2,
      why: "Tokens name a session as its user does: see `token/tell`.",
      without: "A logout token names a session that no id token has named.",
    },
    () =>
      function sidFor() {
        return this.uid;
      },
  ),
  method<Session, [], Promise<void>>(
    "Session.prototype.destroy",
    {
      takes: 0,
      why: "A session ends by an event of its user.",
      without: "The user keeps a session that was logged out, and no application is told.",
    },
    (destroy, { parts }) =>
      async function end() {
        await recordEnd(parts, this);
        await destroy.call(this);
      },
  ),
];

/** What an id token is read for. */
interface IdTokenClient {
  readonly clientId: string;
  readonly idTokenSignedResponseAlg?: string | undefined;
}

/** The kinds of access tokens, and how many parameters their `find` declares. */
const accessTokens = [
  ["AccessToken", 0],
  ["ClientCredentials", 1],
] as const;

const ofTokens: readonly Patch[] = [
  ...accessTokens.flatMap(([kind, takes]) => [
    method<Token, [], Promise<WithValue>>(
      `${kind}.prototype.getValueAndPayload`,
      {
        takes: 0,
        why: "An access token that is to be a JWT comes in an envelope: see `token/envelope`.",
        without: "All access tokens are opaque.",
      },
      (make, { envelope, parts }) =>
        async function getValueAndPayload() {
          return await withEnvelope(this, await make.call(this), { envelope, rows: parts });
        },
    ),
    method<unknown, [value: string, ...rest: unknown[]], Promise<Token | undefined>>(
      `${kind}.find`,
      {
        takes,
        why: "What came in an envelope is found by that, and by nothing else.",
        without: "The id in an envelope lets its reader in.",
      },
      (find, { envelope }) =>
        async function findIn(value, ...rest) {
          return await findEnveloped(value, envelope, (id) => find.call(this, id, ...rest));
        },
    ),
  ]),
  method<unknown, [token: string, client: IdTokenClient], Promise<unknown>>(
    "IdToken.validate",
    {
      takes: 2,
      why: "Another key may sign by now, of another algorithm; and the same keys sign other tokens.",
      without: "After another key was chosen, no id token of before leads to a login or a logout.",
    },
    (validate, { keys }) =>
      async function read(token, { clientId, idTokenSignedResponseAlg: usual }) {
        const idTokenSignedResponseAlg = algorithmFor(token, keys) ?? usual;
        return await validate.call(this, token, { clientId, idTokenSignedResponseAlg });
      },
  ),
  method<{ readonly client: object; readonly available: Claims }, [], Promise<Claims>>(
    "IdToken.prototype.payload",
    {
      takes: 0,
      why: "The clock of an application may be behind, and no setting has the names of role claims.",
      without: "It takes id tokens for ones that are not valid yet, and they say no roles.",
    },
    (payload, { parts }) =>
      async function make() {
        const own = ownClaims(this.available, parts.alias);
        const claims = { ...own, ...(await payload.call(this)) };
        return allowForClock(claims, this.client, parts.machineNow());
      },
  ),
  getter<{ readonly params?: { readonly scope?: string } }, Iterable<string>>(
    "OIDCContext.prototype.requestParamOIDCScopes",
    {
      why: "Scopes name things, and the library knows those alone that it was given when made.",
      without: "It drops every scope that names a project, a role or an organization.",
    },
    (offered) =>
      function withNaming() {
        return new Set([...offered.call(this), ...namingScopesIn(this.params?.scope)]);
      },
  ),
];

const ofLogins: readonly Patch[] = [
  getter<unknown, readonly string[]>(
    "Interaction.IN_PAYLOAD",
    {
      why: "What is kept of a login says in which browser it began: see `binding`.",
      without: "No login that has begun goes on.",
    },
    (names) =>
      function kept() {
        return [...names.call(this), "browserHash" satisfies keyof Bound];
      },
  ),
  method<NewLogin, [ttl: number], Promise<string>>(
    "Interaction.prototype.save",
    {
      takes: 1,
      why: "The browser is given a secret as its login begins.",
      without: "No login that has begun goes on.",
    },
    (save, { parts, current }) =>
      async function bind(ttl) {
        return await saveBound(this, () => save.call(this, ttl), { parts, ctx: current() });
      },
  ),
  method<unknown, [uid: string, ...rest: unknown[]], Promise<Bound | undefined>>(
    "Interaction.find",
    {
      takes: 1,
      why: "A login goes on in the browser alone that has the secret.",
      without: "Who sees the address of a login can go on with it in another browser.",
    },
    (find, { parts, current }) =>
      async function findHere(uid, ...rest) {
        const found = await find.call(this, uid, ...rest);
        return found && isHere({ ...found, uid }, parts, current()) ? found : undefined;
      },
  ),
];

/** All that is replaced once the library is made. */
export const patches = [
  ...[...ofClients, ...ofMade, ...ofSessions],
  ...[...ofTokens, ...ofDevices, ...ofLogins],
];

/** Names of parameters, as a grant registers them. */
type Names = string | readonly string[] | ReadonlySet<string>;

/** What is replaced while it is made: it registers what is its own, and keeps it. */
export const registered: readonly (Reason & Pick<Patch, "member">)[] = [
  {
    member: "registerResponseMode",
    takes: 2,
    why: "What an application is told by a form is on a page of ours.",
    without: "People see a page of the library.",
  },
  {
    member: "registerGrantType",
    takes: 4,
    why: "What a grant leaves behind is written in one commit, and a device asks at its pace.",
    without: "A code is used in one commit, and each token is kept in one of its own.",
  },
];

/** What is done around the work of a grant. */
type Around = (work: () => Promise<void>, ctx: TokenEndpointGrantContext<object>) => Promise<void>;

/**
 * The library with a page of ours where it would tell an application something by a form, and with
 * something done around each grant.
 */
export function withOwn(
  Library: typeof Provider,
  { formPost, around }: Pick<Screens, "formPost"> & { readonly around: Around },
): typeof Provider {
  return class extends Library {
    override registerGrantType<Params extends object>(
      name: string,
      handler: (ctx: TokenEndpointGrantContext<Params>) => Promise<void> | void,
      ...rest: [Names?, Names?]
    ) {
      const work = (ctx: TokenEndpointGrantContext<Params>) =>
        around(async () => handler(ctx), ctx);
      super.registerGrantType<Params>(name, work, ...rest);
    }

    override registerResponseMode(...[name, mode]: Parameters<Provider["registerResponseMode"]>) {
      super.registerResponseMode(name, name === "form_post" ? formPost : mode);
    }
  };
}
