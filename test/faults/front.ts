import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of how requests are taken that are no calls. */
export const frontFaults: readonly Fault[] = [
  [
    "a form without a length has none",
    at("provider/routes.ts", `raw.headers["content-length"] = String(sent.byteLength);`, ""),
  ],
  [
    "a password that nothing was compared with uses up a try",
    at(
      "provider/login/factor.ts",
      "    await takeBack(site, { name, found, ...visitor });\n",
      "    void takeBack;\n",
    ),
  ],
  [
    "swapped letters taken for two mistakes",
    at(
      "config/nearest.ts",
      "const isSwapped = from[i - 1]",
      "const isSwapped = i < 0 && from[i - 1]",
    ),
  ],
  [
    "misspelt settings of a refused start not told",
    at("operate/command/serve.ts", "    sayUnknown(environment, logs);\n", ""),
    at(
      "operate/command/serve.ts",
      "    sayDoubts(config,",
      "    sayUnknown(environment, logs);\n    sayDoubts(config,",
    ),
  ],
  [
    "names of variables that are no settings not looked at",
    at("config/doubts.ts", `name.startsWith("IAM_")`, `name.startsWith("IAM__")`),
  ],
  [
    "a proxy that is not named not warned of",
    at("config/doubts.ts", "trustedProxies.length === 0", "trustedProxies.length < 0"),
  ],
  [
    "passwords of one address in front of all others",
    at("provider/login/guesses.ts", "return addresses.run(address, work);", "return work();"),
  ],
  [
    "passwords of many networks of one subscriber in front of all others",
    at(
      "provider/login/guesses.ts",
      "addresses.run(address, ofSubscriber)",
      "addresses.run(address, work)",
    ),
  ],
  [
    "passwords of many subscribers of one site in front of all others",
    at("provider/login/guesses.ts", "() => sites.run(site, work)", "work"),
  ],
  [
    "passwords of one known browser in front of all others",
    at("provider/login/guesses.ts", "ofBrowser, limits.waitingOfBrowser", "ofMachine, 500"),
  ],
  [
    "passwords that replace others hashed in front of all others",
    at(
      "provider/login/guesses.ts",
      "(waits) => passwords.hashPassword(password, waits)",
      "() => passwords.hashPassword(password)",
    ),
  ],
  [
    "passwords that are the same again compared in front of all others",
    at(
      "provider/login/change.ts",
      `{ guess, execute }: Pick<LoginSite, "guess" | "execute">`,
      `{ guess, passwords, execute }: Pick<LoginSite, "guess" | "passwords" | "execute">`,
    ),
    at(
      "provider/login/change.ts",
      "await hashChange({ guess }, by, password)",
      "await hashChange({ guess, passwords }, by, password)",
    ),
    at(
      "provider/login/change.ts",
      `{ guess }: Pick<LoginSite, "guess">`,
      `{ guess, passwords }: Pick<LoginSite, "guess" | "passwords">`,
    ),
    at(
      "provider/login/change.ts",
      "await guess(by, { password, hash })",
      "await passwords.verifyPassword(password, hash)",
    ),
  ],
  [
    "known browsers wait for strangers",
    at("provider/login/guesses.ts", `|| kindOf(by) === "strangers"`, "|| kindOf(by)"),
  ],
  [
    "strangers take all places for passwords",
    at("secrets/passwords/threads.ts", "Math.floor(lineMax / 2)", "lineMax"),
  ],
  [
    "passwords hashed anew in front of all others",
    at(
      "provider/login/factor.ts",
      "await site.guess.rehash(by, password)",
      "await site.passwords.hashPassword(password)",
    ),
  ],
  [
    "answers written one by one",
    at(
      "port/turn.ts",
      "_write = (...given) => atEnd(() => write.apply(connection, given));",
      "_write = write;",
    ),
  ],
  [
    "idle connections closed before their answers are written",
    at("port/port.ts", "    writeDue();\n    http1.close", "    http1.close"),
  ],
  [
    "connections cut off before their answers are written",
    at("port/port.ts", "    writeDue();\n    connections.", "    connections."),
  ],
  ["answers written in reverse", at("port/turn.ts", "due.splice(0)", "due.splice(0).toReversed()")],
  [
    "idle connections closed as the service stops, though a request is on its way",
    at("port/port.ts", "TcpServer.prototype.close.call(server, done)", "server.close(done)"),
  ],
  [
    "connections that say nothing yet closed as the service stops",
    at(
      "port/port.ts",
      "      http2.finish();\n",
      "      http2.finish();\n      connections.finish();\n",
    ),
  ],
  [
    "paths that cannot be decoded not counted",
    at(
      "gateway/server.ts",
      "=> turnAway(request, reply, unreadable",
      "=> refuse(request, reply, unreadable",
    ),
  ],
];
