import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of what browsers are answered, and of what they send back; see `threat.ts`. */
export const answerFaults: { readonly [row: string]: readonly Fault[] } = {
  "one organization's brand on another's page": [
    [
      "the brand of the person before anything is proven",
      at(
        "provider/login/open.ts",
        `session !== undefined && prompt.name !== "login"`,
        "session !== undefined",
      ),
    ],
    [
      "the brand of the person whatever the project says",
      at(
        "provider/login/open.ts",
        "labelingOf(project.privateLabelingSetting, {",
        `labelingOf("ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY", {`,
      ),
    ],
    [
      "the brand of an organization that is out of use",
      at(
        "provider/base/policy.ts",
        "state !== undefined && !state.isInactive",
        "state !== undefined",
      ),
    ],
  ],
  "a form of another site": [
    [
      "forms sent from anywhere",
      at("pages/routes.ts", "    refuseOtherSites(request, publicUrl());\n", ""),
    ],
    [
      "a site that says its name not looked at",
      at(
        "pages/origin.ts",
        `isNamed ? origin === new URL(publicUrl).origin : site === "same-origin"`,
        `isNamed || site === "same-origin"`,
      ),
    ],
    [
      "forms of nobody",
      at("pages/origin.ts", `.origin : site === "same-origin"`, ".origin : true"),
    ],
  ],
  "pages that a library makes": [
    [
      "the form of the library for an application",
      at("provider/library/patches.ts", `name === "form_post" ? formPost : mode`, "mode"),
    ],
    [
      "the form of the library for a logout",
      at("provider/library/library.ts", "await nobodyLogout(ctx);", "await next;"),
    ],
    [
      "any script in such a page",
      at(
        "pages/response.ts",
        "? \"script-src 'self'\" :",
        "? \"script-src 'self'\" : script ? \"script-src 'unsafe-inline'\" :",
      ),
    ],
    [
      "answers without what all others carry",
      at("provider/routes.ts", "holdToTls(reply).headers(answerFields);", "holdToTls(reply);"),
    ],
  ],
};
