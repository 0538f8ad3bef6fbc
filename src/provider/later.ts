import type { Visit } from "../pages/account.ts";
import { accountParts } from "../pages/account-parts.ts";
import type { PageTable } from "../pages/routes.ts";
import { accountPaths, partPath } from "./base/destination.ts";
import { jwtPath, providerCallback, routes } from "./base/site.ts";

const withForm: readonly string[] = [
  ...["/ui/login/:uid", "/ui/owner", "/ui/password", routes.code_verification],
  ...accountParts.map(partPath),
];
const withoutForm: readonly string[] = [
  ...["/ui/login/:uid/idps/:idpId", providerCallback, jwtPath],
  ...["/ui/password/changed", accountPaths.callback],
];

/** The pages of the provider, which are loaded when somebody first opens one. */
export function loadedLater(make: () => Promise<PageTable>): PageTable {
  const load = atFirst(make);
  const by = (path: string, verb: "get" | "post") => async (visit: Visit) => {
    const show = (await load())[path]?.[verb];
    if (show === undefined) throw new Error(`${path} has no page for ${verb}`);
    return await show(visit);
  };
  return Object.fromEntries([
    ...withForm.map((path) => [path, { get: by(path, "get"), post: by(path, "post") }] as const),
    ...withoutForm.map((path) => [path, { get: by(path, "get") }] as const),
  ]);
}

/** Makes it when it is first asked for, and again where that failed. */
export function atFirst<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
