import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of the line in which passwords wait; see `threat.ts`. */
export const lineFaults: { readonly [row: string]: readonly Fault[] } = {
  "a line that many addresses fill": [
    [
      "passwords of strangers compared in the order they came",
      at("provider/login/guesses.ts", `"strangers", rank }`, `"strangers", rank: 1 }`),
    ],
    [
      "who comes last leaves a full line, no matter who it is",
      at(
        "slots.ts",
        "ranked.waitingMax) return line.findLast(isOfKind);",
        "ranked.waitingMax) return line.find((one) => one.ranked === ranked);",
      ),
    ],
    [
      "each network of a site counted by itself",
      at(
        "provider/login/guesses.ts",
        "addresses.count(siteOf(address))",
        `addresses.count(address ?? "")`,
      ),
    ],
    [
      "right passwords of an address counted against it",
      at("provider/login/guesses.ts", "isTakenBack = isRight(result);", "isTakenBack = false;"),
    ],
    [
      "passwords that were not compared counted against an address",
      at("provider/login/guesses.ts", "let isTakenBack = true;", "let isTakenBack = false;"),
    ],
    [
      "what an address had compared remembered for good",
      at("provider/login/recent.ts", "&& nowMs < known.untilMs ?", "?"),
    ],
    [
      "networks of many addresses not counted",
      at("provider/login/guesses.ts", "(ofNetwork.times - 1) / limits.weight", "0"),
    ],
    [
      "right passwords that are hashed anew counted against an address",
      at("provider/login/guesses.ts", "hash(by, password, true)", "hash(by, password)"),
    ],
  ],
  "a line that a few accounts fill": [
    [
      "what known browsers have waiting counted against strangers",
      at("slots.ts", "line.filter(isOfKind).length >", "line.length >"),
    ],
    [
      "places of strangers kept by others who took them",
      at(
        "slots.ts",
        "line.findLast((one) => isOfKind(one) !== hasPlaces)",
        "line.find((one) => one.ranked === ranked)",
      ),
    ],
    [
      "a known browser past its bound waits as others do",
      at("provider/login/factor.ts", `counted === "counts" ? by : { found, address }`, "by"),
    ],
    [
      "a known browser past its bound not counted for its address",
      at(
        "provider/base/tries.ts",
        "return (await isWithin(site, [ofAddress])) ?",
        "return given.address !== null ?",
      ),
    ],
    [
      "passwords in known browsers compared in the order they came",
      at("provider/login/guesses.ts", "rank: asked.count(userId).times", "rank: 1"),
    ],
    [
      "what a person asks for counted by browser",
      at("provider/login/guesses.ts", "asked.count(userId)", "asked.count(userId + by.browser)"),
    ],
    [
      "what somebody tries in the name of a person counted against its known browsers",
      at(
        "provider/login/guesses.ts",
        `if (found === undefined || kindOf(by) === "strangers") return`,
        `if (found && kindOf(by) === "strangers") asked.count(found.userId);
    if (found === undefined || kindOf(by) === "strangers") return`,
      ),
    ],
    [
      "the newest of known browsers leaves a full line, whatever its rank",
      at(
        "slots.ts",
        "  if (line.length <= waitingMax) return undefined;\n",
        `  if (line.length <= waitingMax) return undefined;
  if (!hasPlaces) return line.find((one) => one.ranked === ranked);
`,
      ),
    ],
    [
      "any number of wrong passwords of one person in front of strangers",
      at(
        "provider/login/guesses.ts",
        "ofPerson.times > limits.wrongOfPerson",
        "ofPerson.times < 0",
      ),
    ],
    [
      "known browsers of one person not counted together",
      at("provider/login/guesses.ts", "() => people.run(userId, there)", "there"),
    ],
    [
      "known browsers of one address not counted together",
      at("provider/login/guesses.ts", "addresses.run(siteOf(address), work);", "work();"),
    ],
    [
      "known browsers of many networks of one site not counted together",
      at(
        "provider/login/guesses.ts",
        "addresses.run(siteOf(address), work)",
        "addresses.run(address, work)",
      ),
    ],
  ],
  "a code that has many passwords hashed": [
    [
      "what sets a password by one code done at once",
      at(
        "secrets/passwords/passwords.ts",
        "concurrentMax: 1, waitingMax: sameCodeWaitingMax",
        "concurrentMax: 100, waitingMax: 0",
      ),
    ],
    [
      "any number waiting with the code of an invitation",
      at("secrets/passwords/passwords.ts", "waitingMax: sameCodeWaitingMax", "waitingMax: 1_000"),
    ],
    [
      "the code of an invitation not looked at once more",
      at(
        "api/account/account.ts",
        `if (password !== "") await checkPerson`,
        `if (password === "") await checkPerson`,
      ),
    ],
    [
      "the link of an owner not looked at once more",
      at(
        "provider/login/owner.ts",
        `  if (!opensOwnerLink(state, showing(code), parts.now())) return "CONFLICT";\n`,
        "",
      ),
    ],
    [
      "the code of a forgotten password not looked at once more",
      at(
        "provider/login/reset.ts",
        "if ((await readLink(site, visit)) === undefined) return false;",
        "",
      ),
    ],
    [
      "the password of an invitation hashed for a caller who has gone",
      at(
        "api/account/account.ts",
        "await passwords.hashPassword(password, { signal })",
        "await passwords.hashPassword(password)",
      ),
    ],
  ],
};
