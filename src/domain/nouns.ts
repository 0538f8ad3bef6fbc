import type { NewEvent } from "../event.ts";
import { action } from "./action.ts";
import { app } from "./app/app.ts";
import { flow } from "./flow.ts";
import { grant } from "./grant.ts";
import { group } from "./group.ts";
import { idp } from "./idp.ts";
import { instance } from "./instance.ts";
import { log } from "./log.ts";
import { logout } from "./logout.ts";
import { isStreamOf, type Noun } from "./noun.ts";
import { org } from "./org.ts";
import { labelPolicy } from "./policy/label.ts";
import { loginPolicy } from "./policy/login.ts";
import { privacyPolicy } from "./policy/privacy.ts";
import { project } from "./project.ts";
import { projectGrant } from "./project-grant.ts";
import { registration } from "./registration/registration.ts";
import { role } from "./role.ts";
import { metadata } from "./user/metadata.ts";
import { user } from "./user/state/user.ts";

/** Every kind of thing that the log knows; what is not listed here cannot be rebuilt. */
export const nouns: readonly Noun<unknown, NewEvent>[] = [
  action,
  app,
  flow,
  grant,
  group,
  idp,
  instance,
  labelPolicy,
  log,
  loginPolicy,
  logout,
  metadata,
  org,
  privacyPolicy,
  project,
  projectGrant,
  registration,
  role,
  user,
];

/**
 * Counts how often an `evolve`, `claims`, `row`, `messages` or `settles` was made to make something
 * else of events that exist already, or a store to keep something else with it, or a function in
 * PostgreSQL to do something else. Each such change raises it, once per release.
 */
const changes = 16;

/**
 * Counts the ways in which state follows from events: stores of a lower one make anew what follows
 * from the log. Each event type raises it, since a program without it cannot read the log.
 */
export const revision = changes + nouns.flatMap(({ events }) => Object.keys(events)).length;

/** The noun of a stream by its name; throws a TypeError where no noun has the stream's kind. */
export function nounOf(stream: string): Noun<unknown, NewEvent> {
  const noun = nouns.find((known) => isStreamOf(known, stream));
  if (noun === undefined) throw new TypeError(`no noun has streams like ${stream}`);
  return noun;
}
