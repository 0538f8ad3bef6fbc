import { accountParts } from "../pages/account-parts.ts";
import type { Forms } from "../pages/table.ts";
import { accountPaths, partPath } from "./base/destination.ts";
import { jwtPath, providerCallback, routes } from "./base/site.ts";

/** Which pages of the provider take a form. */
export const providerForms: Forms = {
  "/ui/login/:uid": true,
  "/ui/login/:uid/idps/:idpId": false,
  [providerCallback]: false,
  [jwtPath]: false,
  [routes.code_verification]: true,
  "/ui/owner": true,
  "/ui/password": true,
  "/ui/password/changed": false,
  ...Object.fromEntries(accountParts.map((part) => [partPath(part), true])),
  [accountPaths.callback]: false,
};
