import { streamOf } from "../noun.ts";
import type { CodeEvent } from "./delivery.ts";
import { user } from "./user.ts";

/** The name of the place, within the stream of its user, that the code of an event is sealed to. */
const fields: { readonly [type in CodeEvent["type"]]: string } = {
  "user.human.initialization.code.added": "initialization.code",
  "user.human.password.code.added": "password.code",
  "user.human.phone.code.added": "phone.code",
};

/**
 * The place that the code of an event is sealed to: a code opens for its user and purpose alone.
 */
export function placeOfCode(type: CodeEvent["type"], userId: string) {
  return { stream: streamOf(user, userId), field: fields[type] };
}
