import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [arrive, account] = ["external-arrive", "external-account"].map(inLogin) as [string, string];
const link = inLogin("external-link");
const asks = "provider/external/asks.ts";
const discovery = "provider/external/discovery.ts";

function inLogin(name: string): string {
  return `provider/login/${name}.ts`;
}

/** Mistakes of logins by identity providers. */
export const externalFaults: readonly Fault[] = [
  [
    "signature of an ID token not checked",
    at(discovery, "[...insecure, client.enableNonRepudiationChecks]", "[...insecure]"),
  ],
  [
    "request to a provider used twice",
    at(asks, "  if (uses !== 1) return undefined;\n", "  if (uses === 0) return undefined;\n"),
  ],
  [
    "state of another login taken",
    at(asks, "!isHashOf(kept.stateHash, state)", "state === kept.stateHash"),
  ],
  [
    "what a provider says nested without an end",
    at("provider/external/protocol.ts", "if (isTooDeep(claims)) throw", "if (said === '') throw"),
  ],
  [
    "words of a provider in the log",
    at("provider/external/http.ts", "errors.find((one) => one === said)", "said as string"),
  ],
  [
    "words of a provider on the page",
    at("pages/routes.ts", "isOnce ? undefined : openedBy(request)", "openedBy(request)"),
  ],
  [
    "provider that is off by the time of the grant",
    at(
      "provider/library/grant.ts",
      "  if (!(await mayComeFrom(parts, found, told.external))) return false;\n",
      "",
    ),
  ],
  [
    "address that is not verified proposes somebody",
    at(arrive, "!isEmailVerified || organization", "organization"),
  ],
  ["one of several proposed", at(arrive, ".length === 1;", ".length > 0;")],
  ["account linked twice in one login", at(link, "  await removeArrived(site, target.uid);\n", "")],
  [
    "link that the provider does not allow",
    at(link, "usable === undefined || !optionsOf(usable.state).isLinkingAllowed", "!usable"),
  ],
  [
    "address of somebody else as a name",
    at(account, `name.includes("@") && !isOwn`, `name === "@" && !isOwn`),
  ],
  [
    "address that was typed verified",
    at("domain/comer.ts", " && email === address;", " && address !== '' && email !== '';"),
  ],
  [
    "account of a provider that creates none",
    at(
      "domain/registration/register-external.ts",
      " || !optionsOf(provider).isCreationAllowed) {",
      ") {",
    ),
  ],
  [
    "accounts of an address not counted",
    at(account, "!isNamed || !(await countCreated(site, open.address))", "!isNamed"),
  ],
  ["names tried without a bound", at(account, "!isNamed || ", "")],
  [
    "link that is gone still shown",
    at(
      "domain/user/state/external-account.ts",
      "externalIDPs.some((one) => isAccount(one, shown))",
      "externalIDPs !== undefined",
    ),
  ],
  [
    "names changed before a day is counted",
    at(
      "domain/registration/register-external.ts",
      "  if (human.login === undefined) return accept({});\n",
      "",
    ),
  ],
];

/** What finds them. */
export const externalParts = [
  ["test/domain/(?:comer|registration/register-external|user/login/rules)\\."],
  ["test/provider/external-(?:account|people|proof|state|token)\\."],
  ["test/provider/external-(?:factor|limits|meanwhile)\\."],
];
