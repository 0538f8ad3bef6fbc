import { grantQueryLimits } from "../src/api/user/grant-query.ts";
import { memberQueryLimits } from "../src/api/user/member-read.ts";
import { personalDataLimits } from "../src/api/user/personal-data.ts";
import { redirectUrisMax } from "../src/domain/app/app.ts";
import { grantLimits } from "../src/domain/grant.ts";
import { imageLimits } from "../src/domain/image/limits.ts";
import { keysMax } from "../src/domain/key.ts";
import { takingLimits } from "../src/domain/org.ts";
import { projectGrantLimits } from "../src/domain/project-grant.ts";
import { roleLimits } from "../src/domain/role.ts";
import { metadataLimits } from "../src/domain/user/metadata.ts";
import { joinedLimits } from "../src/domain/user/state/joined.ts";
import { noticeLifetimeMs } from "../src/domain/user/state/notice.ts";
import { dependantLimits } from "../src/execute/dependants.ts";
import { offerLimits } from "../src/execute/providers.ts";
import { clearLimits } from "../src/start/clear.ts";
import { type Group, group } from "./limit-group.ts";

/** The bounds on organizations and on what is kept of users. */
export const userGroups: readonly Group[] = [
  group("Organizations that are taken out of use", "src/domain/org.ts", takingLimits, {
    beyond: [
      "Users of an organization with roles outside of it, at `DeactivateOrg` and `RemoveOrg`",
      "refused with `LIMIT_REACHED`",
    ],
  }),
  group("Identity providers on a login page", "src/execute/providers.ts", offerLimits, {
    providers: ["Providers of an organization and the instance that are looked at", "not offered"],
  }),
  group("What is removed with others", "src/execute/dependants.ts", dependantLimits, {
    atOnce: [
      "What is removed with an organization, project, project grant, role or group in one commit",
      "it is removed in further commits; until then only roles of members count",
    ],
  }),
  group("What is left of them", "src/start/clear.ts", clearLimits, {
    everyMs: [
      "Milliseconds between two turns of a node; of several nodes, one has a turn at a time",
      "–",
    ],
    pieces: ["Commits of one turn", "the next turn goes on"],
  }),
  group("Roles of projects", "src/domain/role.ts", roleLimits, {
    rolesOfProject: ["Roles of one project", "refused with `LIMIT_REACHED`"],
  }),
  group("Groups", "src/domain/user/state/joined.ts", joinedLimits, {
    groupsOfUser: ["Groups that one user is a member of", "refused with `LIMIT_REACHED`"],
  }),
  group("Grants", "src/domain/grant.ts", grantLimits, {
    rolesOfGrant: ["Roles of one grant", "refused with `INVALID_FIELDS`"],
    grantsOfUser: ["Grants of one user", "refused with `LIMIT_REACHED`"],
    grantsOfGroup: ["Grants of one group", "refused with `LIMIT_REACHED`"],
  }),
  group("Grants of projects", "src/domain/project-grant.ts", projectGrantLimits, {
    rolesOfProjectGrant: ["Roles of one project grant", "refused with `INVALID_FIELDS`"],
    grantsOfProject: [
      "Organizations to which one project is granted",
      "refused with `LIMIT_REACHED`",
    ],
    projectsToOrganization: [
      "Projects of one organization that are granted to another",
      "refused with `LIMIT_REACHED`",
    ],
  }),
  group("Searches for members", "src/api/user/member-read.ts", memberQueryLimits, {
    fromBeyond: [
      "Members from other organizations whose organizations are found out before a search",
      "the users of all organizations are searched, which may take too long (8/429 `SEARCH_TOO_LONG`)",
    ],
  }),
  group("Searches for grants", "src/api/user/grant-query.ts", grantQueryLimits, {
    joined: [
      "Users, projects or roles that one condition finds, whose grants are looked for",
      "refused with `SEARCH_TOO_LONG`",
    ],
    searches: [
      "Searches for users, projects and roles that the conditions of one request may take",
      "refused with `SEARCH_TOO_LONG`",
    ],
  }),
  group(
    "Keys of applications and machines",
    "src/domain/key.ts",
    { keysMax },
    { keysMax: ["Keys of one application or machine", "refused with `LIMIT_REACHED`"] },
  ),
  group(
    "Applications",
    "src/domain/app/app.ts",
    { redirectUrisMax },
    { redirectUrisMax: ["Redirect URIs of one application", "refused with `LIMIT_REACHED`"] },
  ),
  group("Metadata of users", "src/domain/user/metadata.ts", metadataLimits, {
    keysOfUser: [
      "Keys of one user, each with a value of 4,096 bytes at most",
      "refused with `LIMIT_REACHED`",
    ],
    valueBytes: ["Bytes of a value that an action sets", "it is not set"],
  }),
  group(
    "Mails about changes",
    "src/domain/user/state/notice.ts",
    { noticeLifetimeMs },
    {
      noticeLifetimeMs: [
        "Milliseconds from a change to the sending of the mail that tells the person of it",
        "the mail is not sent",
      ],
    },
  ),
  group("Images of label policies", "src/domain/image/limits.ts", imageLimits, {
    bytes: ["Bytes of a file that is uploaded", "refused with `INVALID_FIELDS`"],
    sidePixels: ["Pixels of each side", "refused with `IMAGE_INVALID`"],
    scans: ["Scans of a JPEG", "refused with `IMAGE_INVALID`"],
    uploadsPerDay: [
      "Uploads of one organization in a day, and of the instance",
      "refused with `TOO_MANY_UPLOADS`",
    ],
  }),
  group("Personal data", "src/api/user/personal-data.ts", personalDataLimits, {
    pageBytes: ["UTF-8 bytes of the JSON of a page", "further events are on the next one"],
    pages: ["Pages of one user in a day", "refused with `TOO_MANY_DOWNLOADS`"],
    messages: ["Messages that wait, the first that are due", "further ones are left out"],
    downloads: ["First pages of one user in a day", "refused with `TOO_MANY_DOWNLOADS`"],
  }),
];
