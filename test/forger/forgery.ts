import { call } from "./life.ts";
import type { Kind, Scene } from "./stage.ts";

/** A service that runs, for who looks whether what the forger wanted has happened. */
export type Effect = (scene: Scene, url: string) => Promise<boolean>;

/** What somebody forges who may write everything, and has no key. */
export interface Forgery {
  readonly name: string;
  /** The store that has it; left out, both. */
  readonly of?: Kind;
  /** Left out, it is forged while the service stands still, and while it runs. */
  readonly when?: "rest" | "running";
  forge(scene: Scene): Promise<unknown>;
  /** Undoes what is not in rows. */
  undo?(scene: Scene): Promise<unknown>;
  readonly effect: Effect;
  /** Flags of `verify`, made before anything is forged. */
  verifiedWith?(scene: Scene): Promise<readonly string[]>;
  /** Where docs/chain.md says that it has an effect. */
  readonly documented?: true;
  /** Where docs/chain.md says that `verify` does not see it. */
  readonly unseen?: true;
}

/** Whether a token reads what owners of the instance alone may. */
export const owns =
  (tokenOf: (scene: Scene) => string): Effect =>
  async (scene, url) =>
    (await call(url, tokenOf(scene), "POST", "/admin/v1/events/_search", { limit: 1 })).status ===
    200;
export const lowOwns = owns(({ life }) => life.low.token);
export const never: Effect = async () => false;

type Statement = (scene: Scene) => string;

/** Runs statements as they are. */
export const sqlOf =
  (...texts: Statement[]) =>
  (scene: Scene) =>
    scene.sql(...texts.map((text) => text(scene)));

/** The same, with all links made anew. */
export const relinked =
  (...texts: Statement[]) =>
  async (scene: Scene) => {
    await scene.sql(...texts.map((text) => text(scene)));
    await scene.relink();
  };

export const text = (one: string) => () => one;
export const last = "(SELECT max(position) FROM events)";
/** A token that nobody was given. */
export const evil = "iam_pat_evil";
export const streamOf = (id: string) => `user-${id}`;
