import type { FastifyInstance } from "fastify";
import { rejectionFor } from "../domain/decision.ts";
import type { Fetch, Send } from "../fetch/fetcher.ts";
import type { FindAccess } from "../gateway/call/caller.ts";
import { failure } from "../gateway/call/errors.ts";
import type { Front } from "../gateway/front.ts";
import type { FindBrand } from "../pages/brand.ts";
import type { PageTable } from "../pages/routes.ts";
import type { AccountSite } from "./account/part.ts";
import { createFindBrand } from "./base/brand.ts";
import { findTraces, type Traces } from "./base/from.ts";
import type { ProviderParts } from "./base/parts.ts";
import { loggedPages, wrapPages } from "./base/record.ts";
import { createRing } from "./base/ring.ts";
import { createUnit, type UnitParts } from "./base/unit.ts";
import { createGitHubProtocol } from "./external/github.ts";
import { createJWTProtocol } from "./external/jwt.ts";
import type { Protocols } from "./external/offers.ts";
import { createOpenIDProtocol } from "./external/oidc.ts";
import { createTrials, type TryProvider } from "./external/trial.ts";
import { atFirst, loadedLater } from "./later.ts";
import type { Screens } from "./library/screens.ts";
import { registerProvider } from "./routes.ts";
import { createFindAccess } from "./token/access.ts";
import type { FindProvider } from "./token/now.ts";
import { createTell, type Tell } from "./token/tell.ts";

/** The OpenID provider: its own paths, and the pages on which people log in. */
export interface OpenIDProvider {
  /** Says what the access tokens that it issues let their holders do here. */
  readonly findAccess: FindAccess;
  /** What calls ask of it. */
  readonly forCalls: {
    /** Finds what is kept of the browser of a session; nothing where its time is over. */
    readonly findTraces: (sessionId: string) => Promise<Traces>;
    readonly tryProvider: TryProvider;
  };
  readonly findBrand: FindBrand;
  /** What it has people see. */
  pages(front: Front): PageTable;
  register(server: FastifyInstance, front: Front): void;
  /** Tells an application that a session has ended. */
  readonly tell: Tell;
}

/**
 * Makes the provider. The library and the pages are loaded when somebody first asks for them, and
 * what goes wrong then is told as all that fails.
 */
export function createProvider(
  given: Omit<ProviderParts, "refuseFailedAction" | "ring" | "unit"> &
    UnitParts &
    Pick<AccountSite, "openPersonalData" | "passkeys" | "readPhoneNumber"> & {
      readonly fetch: Fetch;
      readonly send: Send;
    },
): OpenIDProvider {
  const unit = createUnit(given);
  const parts = { ...given, unit, ring: createRing(given), refuseFailedAction };
  const findBrand = createFindBrand(given.objects);
  const library = atFirst(async () => {
    const { createFindProvider } = await import("./library/library.ts");
    const { createScreens } = await import("./library/screens.ts");
    const screens = createScreens(findBrand);
    return { screens, findProvider: createFindProvider(parts, screens) };
  });
  const findProvider: FindProvider = async () => (await library()).findProvider();
  const shown: Pick<Screens, "refusal"> = {
    refusal: async (exchange, refusal) => (await library()).screens.refusal(exchange, refusal),
  };
  const protocols: Protocols = {
    oidc: createOpenIDProtocol(given),
    github: createGitHubProtocol(given),
    jwt: createJWTProtocol(given),
  };
  return {
    findBrand,
    tell: createTell(parts, findProvider),
    findAccess: createFindAccess(parts, findProvider),
    forCalls: {
      findTraces: (sessionId) => findTraces(parts, sessionId),
      tryProvider: createTrials(parts, protocols),
    },
    pages: ({ addressOf }) => {
      const pages = loadedLater(async () => {
        const { peoplePages } = await import("./people.ts");
        return peoplePages({ ...parts, findProvider, protocols, addressOf });
      });
      // Each visit is one request.
      const inUnits = wrapPages(pages, (show) => (visit) => unit.run(() => show(visit)));
      return loggedPages(inUnits, parts);
    },
    register: (server, front) => registerProvider(server, { front, findProvider, parts, shown }),
  };
}

function refuseFailedAction(): never {
  throw failure(rejectionFor("ACTION_FAILED"));
}
