import type { Adapter, AdapterPayload, ClientMetadata } from "oidc-provider";
import { isTerminated, sessionOf } from "../../domain/user/state/session.ts";
import type { UserState } from "../../domain/user/state/user.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { type ArtifactWrite, type KeptArtifact, ofUser } from "../../store/artifact.ts";
import { accountClientId } from "../base/destination.ts";
import { deviceLimits } from "../base/device.ts";
import type { Traces } from "../base/from.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findClient, findUser, findUserOnce } from "../base/rows.ts";
import { accountMetadataOf } from "../token/account-client.ts";
import { keyIdIn } from "../token/assertion.ts";
import { metadataOf } from "../token/client.ts";
import { grantOf, isGranted } from "../token/granted.ts";
import { machineGrant, machineMetadataOf, signerMetadataOf } from "../token/machine-client.ts";
import { type Clients, isCode, isOpen, mayUseDevices } from "./pending.ts";

/** The bounds of what comes from one grant: the logins of one session to one application. */
export const grantLimits = {
  /** Its codes, its access tokens and its refresh tokens, used ones among them. */
  ofGrant: 1_000,
} as const;

/** What becomes of a code or refresh token that somebody uses again. */
export interface Reuse {
  /** Revokes all that came from the same login, because the library asks for it. */
  revoke(family: string): Promise<void>;
  /** The same because of a race, of which the library has not heard; throws what it answers. */
  lose(family: string): Promise<never>;
}

/** What has to be known of the request that the library works on. */
export interface Request extends Reuse, Clients {
  /** Throws what is answered to parameters that are too long to be kept. */
  refuseLong(params: object): void;
  /** What counts for its sender what is kept of nobody yet; throws where that is too long. */
  begun(payload: AdapterPayload): readonly ArtifactWrite[];
  /** Throws what is answered past the limits of the sender. */
  refuseBegun(): never;
  /** Throws what is answered where somebody has answered a device already. */
  refuseAnswer(): never;
  /** What its form says, as it was sent. */
  params(): { readonly [name: string]: unknown };
}

/**
 * Where the library keeps what it makes: clients are rows, all else are artifacts. What it calls an
 * id lets its holder in, so its hash is kept, and nothing in the payload says it.
 */
export function createAdapter(model: string, parts: ProviderParts, request: Request): Adapter {
  return model === "Client"
    ? clientAdapter(parts, request)
    : artifactAdapter(model, parts, request);
}

function artifactAdapter(model: string, parts: ProviderParts, request: Request): Adapter {
  const { artifacts } = parts.unit;
  // What the library calls the id of a device is a hash already: see `ofDevices`.
  const keyOf = (id: string) => `${model}:${model === "DeviceCode" ? id : hashSecret(id)}`;
  const load = async (id: string) => toPayload(await artifacts.find(keyOf(id)), id);
  const isAlive = livings[model];
  const whole = async (payload: AdapterPayload | undefined) => {
    if (isAlive === undefined || payload === undefined) return payload;
    return (await isAlive({ payload, parts, request })) ? payload : undefined;
  };
  // What is saved again keeps its place: else one login that is saved often takes all of them.
  const familyInRing = async (id: string) =>
    (await artifacts.find(keyOf(id)))?.family ?? (await parts.ring.family());
  const toKeep = async (id: string, payload: AdapterPayload) => {
    if (model === "Session") return { ...payload, usedMs: parts.now() } satisfies Traces;
    if (model !== "Grant") return payload;
    const [found, before] = [await findUser(parts, payload.accountId ?? ""), await load(id)];
    return grantOf(found?.state, payload, before);
  };
  return {
    async upsert(id, payload, expiresInSeconds = 0) {
      const keptSeconds = model === "DeviceCode" ? deviceLimits.expiredSeconds : 0;
      const expiresMs = parts.now() + (expiresInSeconds + keptSeconds) * 1_000;
      const isFirst = isBegun(model, payload);
      const counts = isFirst ? request.begun(payload) : answering(model, id, expiresMs);
      const alias = aliasOf(model, payload);
      const family = isUnproven(model, payload)
        ? await familyInRing(id)
        : familyOf(model, id, payload);
      const artifact = {
        key: keyOf(id),
        ...(alias === undefined ? {} : { alias }),
        ...(family === undefined ? {} : { family }),
        payload: JSON.stringify(withoutId(await toKeep(id, payload))),
        expiresMs,
      };
      const put = { kind: "put", artifact, ofKindMax: grantLimits.ofGrant } as const;
      if (counts.length === 0 && !isFirst) return await artifacts.later(put);
      const uses = await artifacts.write([...counts, put]);
      if (uses.length > counts.length) return;
      if (!isFirst) request.refuseAnswer();
      if (family !== undefined) parts.ring.leave(family);
      request.refuseBegun();
    },
    find: async (id) => whole(await load(id)),
    findByUid: async (uid) => {
      const kept = await artifacts.findAlias(aliasFor(model, uid));
      return await whole(toPayload(kept, undefined));
    },
    findByUserCode: async (userCode) => {
      const kept = await artifacts.findAlias(aliasFor(model, userCode));
      const found = await whole(toPayload(kept, kept?.key.slice(keyOf("").length)));
      return found && { ...found, userCode };
    },
    async consume(id) {
      const key = keyOf(id);
      const family = (await artifacts.find(key))?.family ?? "";
      await artifacts.useFirst(key, () => request.lose(family));
    },
    // All that came from a grant ends with it; and to revoke it is to read whose it was.
    destroy: (id) =>
      model === "Grant" ? request.revoke(id) : artifacts.later({ kind: "remove", key: keyOf(id) }),
    revokeByGrantId: (grantId) => request.revoke(grantId),
  };
}

/** Whether it is kept before anybody has said who it is: so strangers make it too. */
function isBegun(model: string, { accountId, result, error }: AdapterPayload): boolean {
  if (model === "Interaction") return result === undefined;
  if (model === "DeviceCode") return accountId === undefined && error === undefined;
  return model === "Session" && accountId === undefined;
}

/** Whether it is kept while nobody has shown who it is: so there may be so much of it in all. */
function isUnproven(model: string, payload: AdapterPayload): boolean {
  if (model === "DeviceCode") return isBegun(model, payload);
  return isOfBrowser(model) && userOf(model, payload) === undefined;
}

/** What has a device answered once: of two people who do so, one is told that it is late. */
function answering(model: string, id: string, expiresMs: number): readonly ArtifactWrite[] {
  if (model !== "DeviceCode") return [];
  return [{ kind: "count", key: `DeviceAnswer:${id}`, expiresMs, usesMax: 1, isOnce: true }];
}

/** Whether it comes from no grant, but from a browser. */
function isOfBrowser(model: string): boolean {
  return model === "Session" || model === "Interaction";
}

/** Who is logged in there, by now or from before. */
function userOf(model: string, { accountId, result, session }: AdapterPayload): string | undefined {
  return model === "Session" ? accountId : (result?.login?.accountId ?? session?.accountId);
}

/** What an artifact ends with: the grant that it came from, or is, or else the user. */
function familyOf(model: string, id: string, payload: AdapterPayload): string | undefined {
  if (model === "Grant") return id;
  const userId = isOfBrowser(model) ? userOf(model, payload) : undefined;
  return userId === undefined ? payload.grantId : ofUser(userId);
}

/**
 * Another name of an artifact: a session has one, a grant is found by its user, and the code of a
 * device by what people type.
 */
function aliasOf(model: string, { uid, accountId, userCode }: AdapterPayload): string | undefined {
  if (model === "Grant") return accountId && ofUser(accountId);
  const name = model === "DeviceCode" ? userCode : uid;
  return name === undefined ? undefined : aliasFor(model, name);
}

function aliasFor(model: string, name: string): string {
  return `${model}:${hashSecret(name)}`;
}

/** Clients are read and never written here. */
function clientAdapter(parts: ProviderParts, { params }: Request): Adapter {
  const refuse = () => Promise.reject(new TypeError("clients are rows"));
  const read = async (id: string): Promise<ClientMetadata | undefined> => {
    const { assertion, client_assertion, grant_type } = params();
    if (grant_type === machineGrant) {
      return signerMetadataOf(await findUserOnce(parts, id), keyIdIn(assertion));
    }
    if (id === accountClientId) return accountMetadataOf(parts.publicUrl());
    const ofApp = async () => {
      const found = await findClient(parts, id);
      return found && metadataOf(found, parts.now(), client_assertion);
    };
    const ofMachine = async () => {
      const found = await findUserOnce(parts, id);
      return found && machineMetadataOf(found);
    };
    // Only machines get tokens by this grant: they are looked for first.
    return grant_type === "client_credentials"
      ? ((await ofMachine()) ?? (await ofApp()))
      : ((await ofApp()) ?? (await ofMachine()));
  };
  return {
    find: async (id) => (await read(id)) as AdapterPayload | undefined,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    ...{ upsert: refuse, consume: refuse, destroy: refuse, revokeByGrantId: refuse },
  };
}

/** The payload of an artifact with the id that only its holder knows. */
function toPayload(
  kept: KeptArtifact | undefined,
  id: string | undefined,
): AdapterPayload | undefined {
  if (kept === undefined) return undefined;
  const payload = JSON.parse(kept.payload) as AdapterPayload & { returnTo?: string };
  return {
    ...payload,
    ...(id === undefined ? {} : { jti: id }),
    ...(payload.returnTo === undefined ? {} : { returnTo: payload.returnTo + (id ?? "") }),
    ...(kept.uses > 0 ? { consumed: true } : {}),
  };
}

/**
 * The payload without what lets somebody in: its own id, also at the end of the address where an
 * interaction goes on, the code of a device, and the cookie of the session in which that began.
 */
function withoutId(payload: AdapterPayload): object {
  const { jti: id, userCode: _typed, ...rest } = payload;
  const { returnTo, session, ...others } = rest as typeof rest & {
    readonly returnTo?: string;
    readonly session?: { readonly cookie?: string };
  };
  const { cookie: _cookie, ...told } = session ?? {};
  return {
    ...others,
    ...(session === undefined ? {} : { session: told }),
    ...(returnTo === undefined ? {} : { returnTo: returnTo.replace(String(id), "") }),
  };
}

/** What is kept, and what says whether it is still valid. */
interface Kept {
  readonly payload: AdapterPayload;
  readonly parts: ProviderParts;
  readonly request: Request;
}

type IsAlive = (kept: Kept) => Promise<boolean>;

/** Of what is a person's, the row of the user says so; what is nobody's is. */
function ofPerson(
  isGood: (person: UserState | undefined, payload: AdapterPayload, nowMs: number) => boolean,
  find = findUserOnce,
): IsAlive {
  return async ({ payload, parts }) => {
    if (payload.accountId === undefined) return true;
    const found = await find(parts, payload.accountId);
    return isGood(found?.state, payload, parts.now());
  };
}

/** Of what came from a login: nothing of a session that an administrator ended is. */
const ofLogin = ofPerson((person, { sessionUid = "" }) => !isTerminated(person, sessionUid));

/** Whether something is still valid, by its model; of a login, its application says so. */
const livings: { readonly [model: string]: IsAlive } = {
  // A session may begin and be looked for in one request.
  Session: ofPerson(
    (person, { uid = "" }, nowMs) => sessionOf(person, uid, nowMs) !== undefined,
    findUser,
  ),
  Grant: ofPerson(isGranted),
  Interaction: ({ payload, request }) => isOpen(request, payload),
  AuthorizationCode: async (kept) => (await isCode(kept.request, kept.payload)) && ofLogin(kept),
  DeviceCode: async (kept) =>
    (await mayUseDevices(kept.request, String(kept.payload.clientId))) && ofLogin(kept),
  AccessToken: ofLogin,
  RefreshToken: ofLogin,
};
