import type { Provider } from "oidc-provider";
import type { Envelope } from "./envelope.ts";
import type { Keys } from "./keys.ts";

/** The provider as it is now: loaded when it is first asked for, and made anew for new keys. */
export type FindProvider = () => Promise<Now>;

/** The provider with the keys that it has now. */
export interface Now {
  readonly provider: Provider;
  readonly keys: Keys;
  readonly envelope: Envelope;
  /** Answers a request that the library is for. */
  readonly answer: ReturnType<Provider["callback"]>;
}
