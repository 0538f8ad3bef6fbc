import type { Envelope } from "../../event.ts";

/** Through whose tokens something was made that is not its maker's: what an event may record. */
export interface Via {
  /** The users who made the token of the call, and those through whose tokens they did. */
  readonly via?: readonly string[];
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

/** What to record of something that the holder of a token makes with it; nothing with its own. */
export function viaOf(holder: string, { maker, via = [] }: Made): Via {
  const others = [...new Set([maker, ...via])].filter((id) => id !== holder);
  return others.length === 0 ? {} : { via: others };
}
