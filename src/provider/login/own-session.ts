import type { Visit } from "../../pages/account.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { locate } from "../base/locate.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import type { LoginSite } from "./open.ts";

/** The session of a browser in which somebody is logged in. */
export interface OwnSession {
  readonly sessionId: string;
  readonly found: FoundUser;
  /** What the forms of its pages have, and nobody knows who has not its cookie. */
  readonly secret: string;
}

/** The session of the browser that asks; undefined where nobody is logged in with it. */
export async function findOwnSession(
  site: LoginSite,
  { request, reply }: Pick<Visit, "request" | "reply">,
): Promise<OwnSession | undefined> {
  const { raw } = request;
  locate(raw, { publicUrl: site.publicUrl(), address: site.addressOf(request) });
  const { provider } = await site.findProvider();
  const session = await provider.Session.get(provider.createContext(raw, reply.raw));
  const { accountId, uid: sessionId } = session;
  const found = accountId === undefined ? undefined : await findUser(site, accountId);
  return found && { sessionId, found, secret: hashSecret(`form ${session.jti}`) };
}
