/** Through which application something was done for a user: its client id. */
export interface Through {
  readonly through?: string | undefined;
}

/**
 * The text of an event's payload as it is recorded. Whatever the event is, it says in its member
 * `through` which application did it for its actor; an event that the actor caused has none.
 */
export function writePayload(payload: object, { through }: Through): string {
  return JSON.stringify(through === undefined ? payload : { ...payload, through });
}

/** The payload as nouns know it: nothing follows from who did it. */
export function readPayload(text: string): object {
  const payload = JSON.parse(text) as Through;
  if (payload.through === undefined) return payload;
  const { through: _through, ...rest } = payload;
  return rest;
}
