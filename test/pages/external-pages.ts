import type { ExternalProblem } from "../../src/pages/external-texts.ts";
import {
  externalAccountPage,
  externalChoicePage,
  externalProblemPage,
  externalTrialPage,
} from "../../src/pages/html/external.ts";
import { loginPage } from "../../src/pages/html/first.ts";
import type { Frame, Page } from "../../src/pages/html/page.ts";

const problems: readonly ExternalProblem[] = [
  ...(["denied", "unreachable", "unusable", "stale", "unknown", "unlinked", "tooMany"] as const),
];

/** The pages of logins by identity providers, with a text wherever something is given. */
export function externalPages(
  given: string,
): readonly (readonly [string, (frame: Frame) => Page])[] {
  const target = { uid: given, application: given, organization: given };
  const elsewhere = { account: given, provider: given };
  const rule = { nameCharactersMax: 200, emailCharactersMax: 254 };
  const fields = { userName: given, email: given, firstName: given, lastName: given };
  const wrong = { userName: "taken", email: "invalid", firstName: "invalid" } as const;
  const first = { userName: given, question: given };
  const providers = [
    { id: given, name: given, isGoogle: false },
    { id: "google", name: given, isGoogle: true },
  ];
  const identity = { ...fields, externalUserId: given, displayName: given, isEmailVerified: true };
  const asked = { elsewhere, rule };
  const byName = { userName: "address" } as const;
  return [
    ["login with providers", loginPage(target, { ...first, providers })],
    [
      "login behind which an account is linked",
      loginPage(target, { ...first, linking: elsewhere }),
    ],
    ["account elsewhere without one here", externalChoicePage(target, elsewhere)],
    ["account by a provider", externalAccountPage(target, fields, { ...asked, wrong: {} })],
    ["wrong account by a provider", externalAccountPage(target, fields, { ...asked, wrong })],
    ["wrong name by a provider", externalAccountPage(target, fields, { ...asked, wrong: byName })],
    ["trial of a provider", externalTrialPage(given, { identity })],
    ["problem of a trial", externalTrialPage(given, { problem: "unusable", detail: given })],
    ...problems.map(
      (problem) =>
        [`problem of a provider: ${problem}`, externalProblemPage(target, problem)] as const,
    ),
  ];
}
