import type { Envelope } from "../../../event.ts";

/** Through whose tokens something was made that is not its maker's: what an event may record. */
export interface Via {
  /**
   * The users who made the token of the call, and those through whose tokens they did; and the
   * application that acted for the user, as `handOf` writes it.
   */
  readonly via?: readonly string[];
}

/**
 * The actor of what is done on the machine that holds the log, by one who may read its files. No
 * user has this id. What such a one makes counts as made by whom it is for: nobody rises with it.
 */
export const operator = "operator";

/**
 * The actor of what somebody causes who has not shown who it is: a wrong password, or a code that
 * comes again. It need not be the person whom it befalls. No user has this id.
 */
export const stranger = "stranger";

/** The actor of what an action does when it runs, by its id. No user has this id. */
export function handOfAction(actionId: string): string {
  return `action-${actionId}`;
}

const application = "client-";

/** The hand of an application in what it does for a user, by its client id; no user has this id. */
export function handOf(clientId: string): string {
  return application + clientId;
}

/** Whether a hand is one of an application. */
export function isApplication(hand: string): boolean {
  return hand.startsWith(application);
}

/** The user who made something: the actor of the event that it began with. */
export interface Made extends Via {
  readonly maker: string;
}

/** Who made what an event begins. */
export function madeBy({ actor: maker, payload }: Envelope & { readonly payload: object }): Made {
  const { via } = payload as Via;
  return via === undefined ? { maker } : { maker, via };
}

/** The same, made by what others had made: those have a hand in it, too. */
export function madeThrough(made: Made, ...others: readonly (Made | undefined)[]): Made {
  const { maker, via = [] } = made;
  const hands = others.flatMap((one) => (one === undefined ? [] : [one.maker, ...(one.via ?? [])]));
  return { maker, ...viaOf(maker, { maker, via: [...via, ...hands] }) };
}

/** What to record of something that the holder of a token makes with it; nothing with its own. */
export function viaOf(holder: string, { maker, via = [] }: Made): Via {
  const others = [...new Set([maker, ...via])].filter((id) => id !== holder && id !== operator);
  return others.length === 0 ? {} : { via: others };
}
