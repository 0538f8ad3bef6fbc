import type { Place } from "./place.ts";

/** What each object is to whom, written out by hand: nothing here asks the code that decides it. */

/** What the request is about: the kinds of ids in it, in the order in which they are looked at. */
export type ObjectKind =
  | "project"
  | "app"
  | "key"
  | "user"
  | "member"
  | "person"
  | "token"
  | "idp"
  | "anyIDP"
  | "usableIDP"
  | "ownIDP"
  | "action"
  | "group"
  | "joined"
  | "joinedProject"
  | "watched";

const denied = "7 PERMISSION_DENIED";
const noProject = "5 PROJECT_NOT_FOUND";
const noApp = "5 APP_NOT_FOUND";
const noKey = "5 KEY_NOT_FOUND";
const noUser = "5 USER_NOT_FOUND";
const noToken = "5 TOKEN_NOT_FOUND";
const noIDP = "5 IDP_NOT_FOUND";
const noGroup = "5 GROUP_NOT_FOUND";
const noAction = "5 ACTION_NOT_FOUND";
const noMember = "5 MEMBER_NOT_FOUND";

/** The projects that are there, and what each is to a call that acts on one organization. */
const projectsIn = {
  own: { "own-1": "OK", "own-2": "OK", "foreign-1": noProject, unknown: noProject },
  foreign: { "own-1": noProject, "own-2": noProject, "foreign-1": "OK", unknown: noProject },
} as const;

/** What each project is to a PROJECT_OWNER, by the project on which the role is held. */
const projectsOf = {
  "own-1": { "own-1": "OK", "own-2": denied, "foreign-1": denied, unknown: denied },
  "own-2": { "own-1": denied, "own-2": "OK", "foreign-1": denied, unknown: denied },
  "foreign-1": { "own-1": denied, "own-2": denied, "foreign-1": "OK", unknown: denied },
} as const;

/**
 * The projects whose members a call may remove. One who was asked about the members of a project
 * elsewhere, or of none, is told that there is no such member, whether or not there is one.
 */
const joinedProjectsIn = {
  own: { "own-1": "OK", "own-2": "OK", "foreign-1": noMember, unknown: noMember },
  foreign: { "own-1": noMember, "own-2": noMember, "foreign-1": "OK", unknown: noMember },
} as const;

/** Whose membership is taken: people of both organizations can be members of each. */
const joined = { own: "OK", foreign: "OK", "no member": noMember, unknown: noMember } as const;

/** Applications, by the project in which they are: that of the request, or one elsewhere. */
const appsOf = { theirs: "OK", "of another": noApp, unknown: noApp } as const;

/** Their keys. */
const keysOf = { theirs: "OK", "of another": noKey, unknown: noKey } as const;

/** The users whose tokens a call may touch that acts on one organization. */
const usersIn = {
  own: { own: "OK", foreign: noUser, unknown: noUser },
  foreign: { own: noUser, foreign: "OK", unknown: noUser },
} as const;

const actionsIn = {
  own: { own: "OK", foreign: noAction, unknown: noAction },
  foreign: { own: noAction, foreign: "OK", unknown: noAction },
} as const;

const groupsIn = {
  own: { own: "OK", foreign: noGroup, unknown: noGroup },
  foreign: { own: noGroup, foreign: "OK", unknown: noGroup },
} as const;

/**
 * The users who may be made members, by where the one who does it may grant roles; those whose
 * phone may be changed likewise.
 */
const membersFor = {
  instance: { own: "OK", foreign: "OK", unknown: noUser },
  own: { own: "OK", foreign: noUser, unknown: noUser },
  foreign: { own: noUser, foreign: "OK", unknown: noUser },
} as const;

/**
 * The providers that may be updated: those of an organization, and one that serves the instance,
 * which `own` owns and no role of an organization reaches. It is no OIDC provider.
 */
const idpsFor = {
  instance: { own: "OK", foreign: "OK", serving: "9 IDP_NOT_OIDC", unknown: noIDP },
  own: { own: "OK", foreign: noIDP, serving: noIDP, unknown: noIDP },
  foreign: { own: noIDP, foreign: "OK", serving: noIDP, unknown: noIDP },
} as const;

/** The providers to who looks after those of the whole instance. */
const anyIDP = { own: "OK", foreign: "OK", serving: "OK", unknown: noIDP } as const;

/** The providers by which users of an organization may log in, which those who serve all are. */
const usableIDPsIn = {
  own: { own: "OK", foreign: noIDP, serving: "OK", unknown: noIDP },
  foreign: { own: noIDP, foreign: "OK", serving: "OK", unknown: noIDP },
} as const;

/** The providers that are an organization's alone. */
const ownIDPsIn = {
  own: { own: "OK", foreign: noIDP, serving: noIDP, unknown: noIDP },
  foreign: { own: noIDP, foreign: "OK", serving: noIDP, unknown: noIDP },
} as const;

const tokensOf = { theirs: "OK", "of another": noToken, unknown: noToken } as const;

/** The organizations whose events may be watched, and all of them at once. */
const watchedFor = {
  instance: { own: "OK", foreign: "OK", unknown: "OK", all: "OK" },
  own: { own: "OK", foreign: denied, unknown: denied, all: denied },
  foreign: { own: denied, foreign: "OK", unknown: denied, all: denied },
} as const;

export type Objects = { readonly [object: string]: string };

/** What the objects of one kind are to the caller in a call that the gate has let through. */
export function objectsOf(kind: ObjectKind, place: Place, target: "own" | "foreign"): Objects {
  switch (kind) {
    case "project":
      return place in projectsOf
        ? projectsOf[place as keyof typeof projectsOf]
        : projectsIn[target];
    case "app":
      return appsOf;
    case "key":
      return keysOf;
    case "user":
      return usersIn[target];
    case "action":
      return actionsIn[target];
    case "group":
      return groupsIn[target];
    case "idp":
      return idpsFor[place as keyof typeof idpsFor];
    case "anyIDP":
      return anyIDP;
    case "usableIDP":
      return usableIDPsIn[target];
    case "ownIDP":
      return ownIDPsIn[target];
    case "member":
    case "person":
      return membersFor[place as keyof typeof membersFor];
    case "token":
      return tokensOf;
    case "joinedProject":
      return joinedProjectsIn[target];
    case "joined":
      return joined;
    case "watched":
      return watchedFor[place as keyof typeof watchedFor];
  }
}
