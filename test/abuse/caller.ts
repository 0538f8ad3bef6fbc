// The process of the honest callers. It is told where to call and for how long, again and again.

import { callHonestly } from "./honest.ts";

process.once("disconnect", () => process.exit(0));
process.on("message", async ({ url, token, forMs }: CallOrder) => {
  process.send?.(await callHonestly(url, token, forMs));
});

/** Where to call, and for how many milliseconds. */
export interface CallOrder {
  readonly url: string;
  readonly token: string;
  readonly forMs: number;
}
