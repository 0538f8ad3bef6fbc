import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const link = "domain/user/external-link.ts";
const waysIn = "domain/user/own/ways-in.ts";
const offer = "domain/policy/offer.ts";

/** Mistakes of links to accounts elsewhere, and of the providers that logins offer. */
export const linkFaults: readonly Fault[] = [
  [
    "the only way in unlinked by the person",
    at(
      link,
      'if (!hasWayIn(withoutAccount(human, account), ways)) return reject("LAST_WAY_IN", onlyWay);',
      "",
    ),
  ],
  [
    "a password that the policy forbids counted as a way in",
    at(
      waysIn,
      '(passwordHash !== undefined && letsIn(["password", ...code]))',
      "passwordHash !== undefined",
    ),
  ],
  [
    "an account without a second factor that is forced counted as a way in",
    at(waysIn, "otpSecret !== undefined || setsUp", "true"),
  ],
  [
    "one link more",
    at(
      link,
      "human.externalIDPs.length >= userLimits.externalIDPs",
      "human.externalIDPs.length > userLimits.externalIDPs",
    ),
  ],
  [
    "linked at a provider that is not there for the person",
    at(link, "idp?.isInactive || !servesOrganization(idp, user.organization)", "!idp"),
  ],
  [
    "sessions go on without the account",
    at(
      "domain/user/state/login-state.ts",
      '    case "user.human.externalidp.removed":\n    case "user.human.otp.removed":',
      '    case "user.human.otp.removed":',
    ),
  ],
  [
    "nobody told of a link",
    at(link, '      ...noticeOf(user, { about: "externalidp.added" }),\n', ""),
  ],
  ["links without a fresh login", at("provider/account/links.ts", "  isFresh: () => true,\n", "")],
  [
    "providers offered that the policy forbids",
    at(offer, "if (!allowExternal) return [];", "void allowExternal;"),
  ],
  [
    "providers offered that are not in use",
    at(offer, "!isInactive &&\n", "(isInactive || true) &&\n"),
  ],
  [
    "a provider of another organization named",
    at(
      offer,
      "servesOrganization(state, organization) && !isOther",
      "state !== undefined && !isOther",
    ),
  ],
  [
    "a removed provider named for good",
    at("start/clear.ts", '"idp.removed", "action.removed"]', '"action.removed"]'),
  ],
];
