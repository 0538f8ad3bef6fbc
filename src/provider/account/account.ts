import { mustExist } from "../../domain/noun.ts";
import { findOrganizationName } from "../../execute/read-object.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import { type AccountPart, accountParts } from "../../pages/account-parts.ts";
import { dataPage } from "../../pages/html/account/data.ts";
import { notLoggedInPage, overviewPage } from "../../pages/html/account/overview.ts";
import type { PageTable } from "../../pages/routes.ts";
import { accountPaths, partPath } from "../base/destination.ts";
import { activity } from "./activity.ts";
import { authenticator } from "./authenticator.ts";
import { email } from "./email.ts";
import { erasure } from "./erasure.ts";
import { links } from "./links.ts";
import { findOwnSession } from "./own-session.ts";
import { type AccountSite, backTo, type Own, type Part, partRoutes } from "./part.ts";
import { passkeys } from "./passkeys.ts";
import { password } from "./password.ts";
import { phone } from "./phone.ts";
import { profile } from "./profile.ts";
import { sessions } from "./sessions.ts";

const overview: Part = { show: showOverview, take: {} };

/** The part on which people download all that is kept of them. */
const data: Part = {
  isFresh: () => true,
  show: async (own) => ({ status: 200, page: dataPage(own) }),
  take: {
    async download({ site, found: { userId, state } }) {
      const { organization } = state;
      const pieces = await site.openPersonalData({ userId, organization });
      return { file: { name: "account.json", contentType: "application/json", pieces } };
    },
  },
};

const parts: { readonly [part in AccountPart]: Part } = {
  ...{
    overview,
    profile,
    email,
    phone,
    password,
    passkeys,
    authenticator,
    links,
    sessions,
    activity,
    data,
    erasure,
  },
};

/** The page on which people see and change what is kept of them. */
export function accountPages(site: AccountSite): PageTable {
  const routes = accountParts.map(
    (part) => [partPath(part), partRoutes(site, part, parts[part])] as const,
  );
  return {
    ...Object.fromEntries(routes),
    [accountPaths.callback]: { get: (visit) => comeBack(site, visit) },
  };
}

/** Back from a login, to the part that it was for; from one that was cancelled, to the overview. */
async function comeBack(site: AccountSite, visit: Visit): Promise<Answer> {
  const { fields } = visit;
  if (fields.of("error") !== "") {
    const isIn = (await findOwnSession(site, visit)) !== undefined;
    return isIn ? backTo("overview") : { status: 403, page: notLoggedInPage };
  }
  return backTo(accountParts.find((part) => part === fields.of("state")) ?? "overview");
}

async function showOverview({ site, found, ...person }: Own): Promise<Answer> {
  const { userName, organization, erasure: asked, human } = found.state;
  const { email, isEmailVerified } = mustExist(human);
  const page = overviewPage({
    ...{ ...person, userName, email, isEmailVerified, erasedMs: asked?.dueMs },
    organization: await findOrganizationName(site.objects.current, organization),
  });
  return { status: 200, page };
}
