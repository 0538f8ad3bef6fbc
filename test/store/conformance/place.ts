import type { Projector } from "../../../src/store/projector.ts";
import type { Store } from "../../../src/store/store.ts";

/** Somewhere empty at first that stores keep their data, for example one database file. */
export interface Place {
  /** Opens what is there; several stores may be open at once, as in several processes. */
  open(projector: Projector): Promise<Store>;
  /** Deletes everything; all stores are closed by then. */
  remove(): Promise<void>;
}

/** Opens the place of the running case; the store is closed when the case has ended. */
export type Open = (projector?: Projector) => Promise<Store>;
