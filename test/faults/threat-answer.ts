import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of what is answered, and of what browsers send back; see `threat.ts`. */
export const answerFaults: { readonly [row: string]: readonly Fault[] } = {
  "unread answers of strangers": [
    [
      "answers without a token held with those of others",
      at("gateway/call/unread.ts", "values.get(knownCallKey) === undefined", "values === null"),
    ],
    [
      "unread refusals on the native wire not counted",
      at("gateway/native/call.ts", "send(form.refuse(", "exchange.answer(form.refuse("),
    ],
    [
      "unread answers on the native wire not counted",
      at("gateway/native/call.ts", "options.unread.count(", "((..._: unknown[]) => () => {})("),
    ],
    [
      "unread answers on the native wire counted for good",
      at("gateway/native/call.ts", "leave = options.unread.count(", "options.unread.count("),
    ],
    [
      "unread answers on Connect's wire not counted",
      at("gateway/connect/wire.ts", "    leave = count(last);\n  }", "  }"),
    ],
    [
      "unread answers on Connect's wire counted for good",
      at("gateway/connect/wire.ts", "endWith(gone, () => leave());", ""),
    ],
    [
      "unread refusals with a token not counted",
      at("gateway/call/unread.ts", "error !== undefined || values", "values"),
    ],
    [
      "unread refusals of calls that change wires not counted",
      at(
        "gateway/native/hand-over.ts",
        "const from = known.sender ??",
        "const from = known.sender;\n  void",
      ),
      at(
        "gateway/native/hand-over.ts",
        "const sender = { ...from,",
        "const sender = from && { ...from,",
      ),
    ],
    [
      "unread refusals of what is no call not counted",
      at("gateway/refuse.ts", "  front.answer({ request, reply }, body);\n", ""),
    ],
    [
      "unread answers without a body not counted",
      at(
        "gateway/front.ts",
        "unread.count(sender(request), bytesOf(body, reply))",
        "bytesOf(body, reply) > 0 ? unread.count(sender(request), 1) : () => {}",
      ),
    ],
    [
      "what a stream has not sent yet not counted",
      at("gateway/connect/wire.ts", "      leave = count(last);\n", ""),
    ],
    [
      "answers counted before they can be read",
      at("gateway/call/unread.ts", "setTimeout(() => {", "((now: () => void) => now())(() => {"),
    ],
    [
      "one that is cut off taken for a failure of Connect's",
      at(
        "gateway/call/sender.ts",
        `source.destroy(Object.assign(new Error(), { code: "ECONNRESET" }))`,
        "source.destroy()",
      ),
    ],
  ],
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
