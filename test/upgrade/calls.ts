import { entity } from "../saml/document.ts";
import type { CallOptions, Fixture } from "./fixture.ts";

/**
 * A call on what an earlier program left, by its verb and path, and what comes of it: the types of
 * the events that it leaves, or the reason why it is refused. It acts on Acme unless it says more.
 */
export type Row = readonly [
  call: `${"POST" | "PUT" | "DELETE" | "GET"} ${string}`,
  body: object | undefined,
  comesTo: readonly string[] | string,
  options?: CallOptions,
];

const app = "project.application";
const provider = { issuer: "https://login.example.com", clientId: "iam", scopes: ["openid"] };

function person(userName: string) {
  const profile = { firstName: "Ada", lastName: "Lovelace" };
  return { userName, profile, email: { email: "ada@example.com", isEmailVerified: true } };
}

function samlApp(name: string, entityId: string) {
  const document = entity({ attributes: `entityID="${entityId}"` });
  return { name, metadataXml: Buffer.from(document).toString("base64") };
}

/** Writes of each kind, in the order in which they are made. */
export function writesOf({ ids, secrets }: Fixture): readonly Row[] {
  const robot = { token: secrets.robot! };
  const projects = "/management/v1/projects";
  const apps = `${projects}/${ids.portal}/apps`;
  const live = `${projects}/${ids.live}/apps`;
  const newSecret = "_generate_client_secret";
  const idps = "/management/v1/idps";
  const actions = "/management/v1/actions";
  const members = "/management/v1/orgs/me/members";
  const users = "/management/v1/users";
  const apiApp = [`${app}.added`, `${app}.config.api.added`];
  const imported = ["user.human.added", "user.human.email.verified"];
  return [
    [`POST ${projects}`, { name: "Doomed" }, ["project.added"]],
    [`POST ${projects}/${ids.resting}/_reactivate`, {}, ["project.reactivated"]],
    [`POST ${projects}/${ids.revived}/_deactivate`, {}, ["project.deactivated"]],
    [
      `DELETE ${projects}/${ids.kanji}`,
      undefined,
      ["project.removed", `${app}.removed`],
      { organization: ids.tokyo },
    ],

    [`POST ${apps}/api`, { name: "Gone" }, apiApp],
    [`POST ${apps}/api`, { name: "By an old token" }, apiApp, robot],
    [`POST ${apps}/${ids.stock}/api_config/${newSecret}`, {}, [`${app}.config.api.secret.changed`]],
    [
      `POST ${apps}/${ids.shop}/oidc_config/${newSecret}`,
      {},
      [`${app}.config.oidc.secret.changed`],
    ],
    // Its redirect URI has a fragment, which is refused today, and kept.
    [
      `POST ${apps}/${ids.fragment}/oidc_config/${newSecret}`,
      {},
      [`${app}.config.oidc.secret.changed`],
    ],
    [`POST ${apps}/${ids.fragment}/_deactivate`, {}, [`${app}.deactivated`]],
    [`POST ${apps}/${ids.restingApp}/_reactivate`, {}, [`${app}.reactivated`]],
    [`DELETE ${apps}/${ids.wiki}`, undefined, [`${app}.removed`]],
    [
      `POST ${apps}/saml`,
      samlApp("Wiki", "https://wiki.example.com"),
      [`${app}.added`, `${app}.config.saml.added`],
    ],

    [`PUT /admin/v1/idps/${ids.partner}/oidc_config`, provider, ["idp.oidc.config.changed"]],
    [`DELETE ${idps}/${ids.changed}`, undefined, ["idp.removed"]],
    [
      `POST ${idps}/oidc`,
      { ...provider, name: "Gone", clientSecret: "their secret" },
      ["idp.config.added", "idp.oidc.config.added"],
    ],

    [`POST ${actions}/${ids.welcome}/_deactivate`, {}, ["action.deactivated"]],
    [`POST ${actions}/${ids.restingAction}/_reactivate`, {}, ["action.reactivated"]],
    [`DELETE ${actions}/${ids.revivedAction}`, undefined, ["action.removed"]],

    [
      `POST ${members}`,
      { userId: ids.restingRobot, roles: ["ORG_OWNER_VIEWER"] },
      ["user.membership.granted"],
    ],
    [`DELETE ${members}/${ids.revivedRobot}`, undefined, ["user.membership.removed"]],
    [`POST ${users}/${ids.robot}/pats`, {}, ["user.token.added"], robot],
    [
      `DELETE ${users}/${ids.robot}/pats/${ids.robotToken}`,
      undefined,
      ["user.token.removed"],
      robot,
    ],
    [`POST ${projects}`, { name: "Too late" }, "UNAUTHENTICATED", robot],
    [`POST ${users}/${ids.restingRobot}/_reactivate`, {}, ["user.reactivated"]],
    [`POST ${projects}`, { name: "Back" }, "PERMISSION_DENIED", { token: secrets.resting! }],

    [
      `POST ${users}/human/_import`,
      { ...person("gone"), password: "a long password", idps: [link(ids.partner!, "43")] },
      [...imported, "user.human.externalidp.added"],
    ],
    [
      `POST /v2/users/${ids.grace}/phone`,
      { phone: "+41 44 668 18 09", isVerified: true },
      ["user.human.phone.changed", "user.human.phone.verified", "user.human.notice.added"],
    ],
    [
      `DELETE /v2/users/${ids.grace}/phone`,
      {},
      ["user.human.phone.removed", "user.human.notice.added"],
    ],
    [`PUT ${projects}/${ids.live}`, { name: "Alive" }, ["project.changed"]],
    [`PUT ${live}/${ids.console}`, { name: "Console" }, [`${app}.changed`]],
    [
      `DELETE ${live}/${ids.signingClient}/keys/${ids.clientKey}`,
      undefined,
      [`${app}.key.removed`],
    ],
    [`DELETE ${users}/${ids.engine}/secret`, undefined, ["user.machine.secret.removed"]],
    [`POST ${users}/${ids.locked}/_unlock`, {}, ["user.human.unlocked"]],
    [`POST ${projects}`, { name: "Recovered" }, ["project.added"], { token: secrets.recovered! }],
    [`POST ${users}/${ids.restingPerson}/_reactivate`, {}, ["user.reactivated"]],
    [`POST ${users}/${ids.fatima}/_deactivate`, {}, ["user.deactivated"]],
    [`DELETE ${users}/${ids.fatima}`, undefined, ["user.removed"]],
    [
      `POST ${users}/human/_import`,
      { ...person("فاطمة"), password: "a long password", idps: [link(ids.partner!, "42")] },
      [...imported, "user.human.externalidp.added"],
    ],
  ];
}

/** Calls that are refused for what an earlier program wrote, and leave nothing. */
export function refusalsOf({ ids, secrets }: Fixture): readonly Row[] {
  const projects = "/management/v1/projects";
  const apps = `${projects}/${ids.portal}/apps`;
  const importing = "POST /management/v1/users/human/_import" as const;
  const verified = person("new");
  return [
    [`POST ${projects}`, { name: "PORTAL" }, "NAME_TAKEN"],
    [`POST ${projects}`, { name: "straße FIX" }, "NAME_TAKEN"],
    [`POST ${apps}/api`, { name: "shop" }, "NAME_TAKEN"],
    [`POST ${apps}/saml`, samlApp("Other", "https://wiki.example.com"), "ENTITY_ID_TAKEN"],
    [`POST ${apps}/saml`, samlApp("Other", "https://fetched.example.com"), "ENTITY_ID_TAKEN"],
    [
      "POST /management/v1/idps/oidc",
      { ...provider, name: "GEÄNDERT", clientSecret: "s" },
      "NAME_TAKEN",
    ],
    ["POST /management/v1/actions", { name: "WELCOME", script: "1" }, "NAME_TAKEN"],
    ["POST /management/v1/orgs", { name: "ооо «ромашка»" }, "NAME_TAKEN"],
    ["POST /management/v1/users/machine", { userName: "ROBOT", name: "Robot" }, "NAME_TAKEN"],
    [importing, person("GRACE"), "NAME_TAKEN"],
    [importing, { ...verified, idps: [link(ids.partner!, "42")] }, "IDP_LINK_TAKEN"],
    [importing, { ...verified, idps: [link(ids.goneIdp!, "1")] }, "IDP_NOT_USABLE"],
    [`DELETE /management/v1/idps/${ids.partner}`, undefined, "IDP_IN_USE"],
    [`DELETE /admin/v1/idps/${ids.jwt}`, undefined, "IDP_IN_USE"],
    [`DELETE /admin/v1/members/${ids.owner}`, undefined, "LAST_OWNER"],
    [
      "POST /management/v1/orgs/me/members",
      { userId: ids.robot, roles: ["ORG_OWNER"] },
      "MEMBER_EXISTS",
    ],
    [`GET ${projects}/${ids.doomed}`, undefined, "PROJECT_NOT_FOUND"],
    [`GET ${apps}/${ids.goneApp}`, undefined, "APP_NOT_FOUND"],
    [`GET /management/v1/users/${ids.goneRobot}`, undefined, "USER_NOT_FOUND"],
    [`GET ${projects}/${ids.kanji}`, undefined, "PROJECT_NOT_FOUND"],
    [`POST ${apps}/api`, { name: "New" }, "PERMISSION_DENIED", { token: secrets.tokyo! }],
    ...["removed", "resting", "gone", "voided"].map(
      (name): Row => [
        `GET ${projects}/${ids.portal}`,
        undefined,
        "UNAUTHENTICATED",
        { token: secrets[name]! },
      ],
    ),
  ];
}

function link(configId: string, externalUserId: string) {
  return { configId, externalUserId };
}
