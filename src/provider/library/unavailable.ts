import type { KoaContextWithOIDC } from "oidc-provider";
import { failureOf, httpStatusOf } from "../../gateway/call/errors.ts";
import { reasons } from "../../reason.ts";
import type { ProviderParts } from "../base/parts.ts";

/**
 * The parts that the library works with. What the store refuses is told as a refusal of the library
 * (RFC 6749, 4.1.2.1), which takes all errors but its own for defects: status 500, and a stack.
 */
export function toldParts(
  parts: ProviderParts,
  { Provider, errors }: typeof import("oidc-provider"),
): ProviderParts {
  /** What was told of a request: nothing else is waited for that the store would refuse, too. */
  const before = new WeakMap<object, Error>();
  const tell = (thrown: unknown): never => {
    const refusal = failureOf(thrown);
    if (refusal === undefined) throw thrown;
    const { ctx } = Provider;
    if (ctx !== undefined) tellWhen(ctx, refusal);
    const status = httpStatusOf(refusal);
    const error = new errors.OIDCProviderError(status, "temporarily_unavailable");
    Object.assign(error, {
      ...{ error_description: refusal.rawMessage, expose: true, cause: thrown },
    });
    if (ctx !== undefined) before.set(ctx, error);
    throw error;
  };
  const told =
    <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      const known = Provider.ctx && before.get(Provider.ctx);
      if (known !== undefined) throw known;
      try {
        return await work(...given);
      } catch (thrown) {
        return tell(thrown);
      }
    };
  const { store, objects, clientStreams, ring, execute, unit } = parts;
  const { artifacts } = unit;
  return {
    ...parts,
    execute: told(execute),
    refuseFailedAction: () => {
      throw new errors.AccessDenied(reasons.ACTION_FAILED[1]);
    },
    objects: { current: told(objects.current), seen: objects.seen },
    clientStreams: { of: told(clientStreams.of) },
    ring: { ...ring, family: told(ring.family) },
    store: {
      find: told(store.find),
      holders: told(store.holders),
      list: told(store.list),
      load: told(store.load),
      search: told(store.search),
    },
    unit: {
      ...unit,
      hold: (work) => told(() => unit.hold(work))(),
      artifacts: {
        find: told(artifacts.find),
        findAlias: told(artifacts.findAlias),
        write: told(artifacts.write),
        later: told(artifacts.later),
        useFirst: told(artifacts.useFirst),
      },
    },
  };
}

/** Tells when to come again, where what was thrown says so, also to scripts. */
export function tellWhen(ctx: Pick<KoaContextWithOIDC, "set" | "append">, thrown: unknown): void {
  const retryAfter = failureOf(thrown)?.metadata.get("retry-after") ?? null;
  if (retryAfter === null) return;
  ctx.set("retry-after", retryAfter);
  ctx.append("access-control-expose-headers", "Retry-After");
}
