import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of logging in with a passkey, and of one that was lost; see `threat.ts`. */
export const passkeyFaults: { readonly [row: string]: readonly Fault[] } = {
  "a passkey shown elsewhere": [
    [
      "passkeys shown to any site",
      at(
        "provider/login/passkey.ts",
        "expectedOrigin: origin,",
        `expectedOrigin: JSON.parse(Buffer.from(fields.of("clientDataJSON"), "base64url").toString()).origin,`,
      ),
    ],
    [
      "passkeys for any service",
      at(
        "provider/login/passkey.ts",
        "expectedRPID: hostname,",
        `expectedRPID: [hostname, "evil.example.com"],`,
      ),
    ],
    [
      "a challenge good as often as one likes",
      at("provider/login/passkey.ts", "return uses === 1 ?", "return uses ?"),
    ],
    [
      "a challenge of the first page good as often as one likes",
      at("provider/login/passkey-question.ts", "?.uses ?? 0", "?.expiresMs && 0"),
    ],
    [
      "a challenge of the first page good in every login",
      at("provider/login/passkey-question.ts", "${answered} ${uid}", "${answered}"),
    ],
    [
      "a challenge good in every login",
      at(
        "provider/login/passkey.ts",
        "function keyOf(uid: string, challenge: string): string {",
        `function keyOf(uid: string, challenge: string): string {\n  uid = "";`,
      ),
    ],
    [
      "devices that know nobody",
      at(
        "provider/login/passkey.ts",
        "requireUserVerification: true",
        "requireUserVerification: false",
      ),
    ],
    [
      "copies of passkeys",
      at("domain/user/login/passkey.ts", "if (!counts || used.counter", "if (true || used.counter"),
    ],
    [
      "passkeys of people who were not asked",
      at("provider/login/passkey.ts", "counter === undefined || !isAsked", "counter === undefined"),
    ],
  ],
  "a device that was lost": [
    [
      "codes of mails that are guessed",
      at("api/user/credential.ts", "createClientSecret(random)", `"ABC234"`),
    ],
    [
      "mailed links for passkeys that are guessed",
      at(
        "api/user/invitation.ts",
        "const code = createClientSecret(random);\n  const sealedField",
        `const code = "ABC234";\n  random(1);\n  const sealedField`,
      ),
    ],
    [
      "mailed links for passkeys that outlive the address",
      at("domain/user/state/passkey-link.ts", "({ code }) => code === undefined", "() => true"),
    ],
    [
      "logins that outlive the address that was replaced",
      at(
        "domain/user/human/change-email.ts",
        `{ type: "user.human.sessions.terminated", payload: { count: sessions.length } },`,
        "",
      ),
    ],
    [
      "refresh tokens of a session that ended",
      at("provider/library/adapter.ts", "  RefreshToken: ofLogin,\n", ""),
    ],
    [
      "codes of a session that ended",
      at(
        "provider/library/adapter.ts",
        "(await isCode(kept.request, kept.payload)) && ofLogin(kept)",
        "isCode(kept.request, kept.payload)",
      ),
    ],
    [
      "access tokens of a session that ended",
      at("provider/token/token.ts", "isTerminated(subject.state, sessionUid) ||", ""),
    ],
    [
      "logins that go on to the next page",
      at("provider/login/onward.ts", "isSame && resetsOf(found?.state) === step.resets", "isSame"),
    ],
    [
      "logins of before a user was out of use",
      at(
        "domain/user/state/user.ts",
        "withEndedLinks(withoutLogins(state.human))",
        "withEndedLinks(state.human)",
      ),
    ],
  ],
};
