import { passwordCharacters } from "../../domain/user/credential/password.ts";
import type { Factor } from "../../domain/user/state/factor.ts";
import { shownUserName } from "../../domain/user/state/user.ts";
import { failure } from "../../gateway/call/errors.ts";
import type { Answer } from "../../pages/account.ts";
import { changePage, otpPage, proceedPage } from "../../pages/html/login.ts";
import { setupDonePage, setupOfferPage } from "../../pages/html/setup.ts";
import type { PageTable } from "../../pages/routes.ts";
import { findUser } from "../base/rows.ts";
import { jwtPath, providerCallback } from "../base/site.ts";
import { findStep } from "../base/step.ts";
import { findArrived } from "../external/arrived.ts";
import { allow, answeredBesides, asksForConsent, deny, showConsent } from "./consent.ts";
import { askProvider, comeBack, findHinted } from "./external.ts";
import { askForProvider, externalTakers, showArrived, takeComer } from "./external-arrive.ts";
import { takeToken } from "./external-jwt.ts";
import { takeChange, takePassword } from "./factor.ts";
import { firstPage } from "./first.ts";
import { askWho, takeForgotten } from "./forgotten.ts";
import { findNext, findShown, soFar } from "./onward.ts";
import { finish, type LoginSite, type Open, ok, refuse, toLogin, within } from "./open.ts";
import { askForPasskey, takePasskey } from "./passkey.ts";
import { beginRegistration, showRegistration, takeRegistration } from "./register.ts";
import { askForRecovery, takeOTP, takeRecovery } from "./second-factor.ts";
import { setupTakers } from "./setup.ts";

/** How a factor is asked for and taken. */
interface Way {
  /** Asks for it behind another one; left out where the first page does. */
  readonly show?: (open: Open) => Answer;
  /** What takes the forms of its pages, by the step that a form names. */
  readonly take: { readonly [step: string]: (open: Open) => Promise<Answer> };
}

/** The ways of all factors. */
const ways: { readonly [factor in Factor]: Way } = {
  password: { take: { password: takePassword } },
  otp: {
    show: ({ target }) => ok(otpPage(target, {})),
    // From the page for a recovery code it is back to where the login stands.
    take: { otp: soFar(takeOTP), app: async (open) => toLogin(open), ...setupTakers },
  },
  recovery: { take: { recovery: soFar(askForRecovery), "recovery-code": soFar(takeRecovery) } },
  passkey: { take: { passkey: askForPasskey, assertion: takePasskey } },
  external: { take: { external: askForProvider, ...externalTakers } },
};

/** What takes the form of a step; steps come from browsers, so any text may be one. */
const takers = new Map(Object.values<Way>(ways).flatMap(({ take }) => Object.entries(take)));

/** The pages of a login, which begins and ends at the provider. */
export function loginPages(site: LoginSite): PageTable {
  return {
    "/ui/login/:uid": {
      get: (visit) => within(site, visit, show),
      post: (visit) => within(site, visit, take),
    },
    "/ui/login/:uid/idps/:idpId": { get: once((visit) => within(site, visit, takeComer)) },
    [providerCallback]: { get: once((visit) => comeBack(site, visit)) },
    [jwtPath]: { get: once((visit) => takeToken(site, visit)) },
  };
}

/** Shows a page of which the address works once: it has what a provider has said. */
function once(show: PageTable[string]["get"]): PageTable[string]["get"] {
  return async (visit) => {
    const answered = await show(visit);
    return "page" in answered ? { ...answered, isOnce: true } : answered;
  };
}

/** The page where the login stands: what is under way comes before what the request asks for. */
async function show(open: Open): Promise<Answer> {
  if (asksForConsent(open.details)) return await showConsent(open);
  return (
    (await showRegistration(open)) ??
    (await showStep(open)) ??
    (await showArrival(open)) ??
    beginRegistration(open) ??
    (await begin(open))
  );
}

/** The page for what somebody has to show or do yet who has come so far; undefined for nobody. */
async function showStep(open: Open): Promise<Answer | undefined> {
  const { site, target } = open;
  const step = await findStep(site, target.uid);
  const found = step && (await findShown(site, step));
  if (step === undefined || found === undefined) return undefined;
  const next = await findNext(open, found, step);
  switch (next) {
    case undefined:
      return ok(setupDonePage(target));
    case "change":
      return ok(changePage(target, passwordCharacters));
    case "setup":
      return ok(setupOfferPage(target, {}));
    default:
      return ways[next].show?.(open) ?? (await firstPage(open));
  }
}

/** The page for somebody whom a provider sent here; undefined for nobody. */
async function showArrival(open: Open): Promise<Answer | undefined> {
  const arrived = await findArrived(open.site, open.target.uid);
  return arrived && (await showArrived(open, arrived));
}

/** The page where a login begins. */
async function begin(open: Open): Promise<Answer> {
  const { site, details, target } = open;
  if (details.prompt.name !== "login" && details.session !== undefined) {
    const found = await findUser(site, details.session.accountId);
    const displayName = found === undefined ? "" : shownUserName(found.state);
    return ok(proceedPage(target, { displayName }));
  }
  const hinted = await findHinted(open);
  if (hinted !== undefined) return await askProvider(open, hinted);
  return await firstPage(open, { userName: String(details.params.login_hint ?? "") });
}

async function take(open: Open): Promise<Answer> {
  const { visit, details } = open;
  const step = visit.fields.of("step");
  const takeFactor = takers.get(step);
  if (takeFactor !== undefined) return await takeFactor(open);
  const registering = await takeRegistration(open, step);
  if (registering !== undefined) return registering;
  switch (step) {
    case "change":
      return await soFar(takeChange)(open);
    case "forgotten":
      return await askWho(open);
    case "ask":
      return await takeForgotten(open);
    case "other":
      return await firstPage(open);
    case "proceed":
      if (details.session === undefined || details.prompt.name === "login") return show(open);
      return await finish(open, answeredBesides(details));
    case "allow":
      return asksForConsent(details) ? await allow(open) : await show(open);
    case "deny":
      return asksForConsent(details) ? await deny(open) : await show(open);
    case "cancel":
      return await refuse(open, "the person did not log in");
    default:
      throw failure({ reason: "MALFORMED_REQUEST", message: "Unknown step." });
  }
}
