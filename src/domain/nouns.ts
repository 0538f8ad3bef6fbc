import type { NewEvent } from "../event.ts";
import { action } from "./action.ts";
import { app } from "./app/app.ts";
import { idp } from "./idp.ts";
import { instance } from "./instance.ts";
import { type Noun, streamOf } from "./noun.ts";
import { org } from "./org.ts";
import { project } from "./project.ts";
import { user } from "./user/user.ts";

/** Every kind of thing that the log knows; what is not listed here cannot be rebuilt. */
export const nouns: readonly Noun<unknown, NewEvent>[] = [
  action,
  app,
  idp,
  instance,
  org,
  project,
  user,
];

/** The noun of a stream by its name; throws a TypeError where no noun has the stream's kind. */
export function nounOf(stream: string): Noun<unknown, NewEvent> {
  const noun = nouns.find((known) => stream.startsWith(streamOf(known, "")));
  if (noun === undefined) throw new TypeError(`no noun has streams like ${stream}`);
  return noun;
}
