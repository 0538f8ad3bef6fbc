import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [tries, page, library, adapter] = [
  "provider/base/tries.ts",
  "provider/login/device.ts",
  "provider/library/device.ts",
  "provider/library/adapter.ts",
] as const;

/** Those of logging in on devices; see `threat.ts`. */
export const deviceFaults: { readonly [row: string]: readonly Fault[] } = {
  "the code of a device that is guessed": [
    [
      "codes of devices tried without a bound",
      at(tries, "  if (!(await isWithin(site, counts))) return undefined;\n", ""),
    ],
    [
      "codes of devices tried without a bound for all",
      at(tries, `    count("all", limits.tries),\n`, ""),
    ],
    [
      "codes of devices tried without a bound for a site",
      at(
        tries,
        "around === undefined ? [] : [count(around",
        "around !== null ? [] : [count(around",
      ),
    ],
    [
      "codes of devices tried without a bound where no address is known",
      at(tries, "limits.triesOfMachine", "Number.POSITIVE_INFINITY"),
    ],
    [
      "people who are logged in kept out by strangers",
      at(tries, "if (userId !== undefined) return [count", `if (userId === "") return [count`),
    ],
    ["right codes that count as wrong ones", at(page, "  await giveBack();\n", "")],
    [
      "logins on devices begun without a bound",
      at(page, "!(await countBegun(site, address))", "(await countBegun(site, address)) === null"),
    ],
  ],
  "a link to the code of somebody else": [
    [
      "a link that enters its code",
      at(
        page,
        `get: async ({ fields }) => ok(devicePage({ code: fields.of("user_code") })),`,
        `get: (visit) =>
        visit.fields.of("user_code") === ""
          ? Promise.resolve(ok(devicePage({ code: "" })))
          : site.unit.hold(() => take(site, visit)),`,
      ),
    ],
    [
      "a link by which the library enters its code",
      at("provider/routes.ts", `one.endsWith("/:uid")`, `one === "/:uid"`),
    ],
    [
      "a device let in by who is logged in without a question",
      at(library, "result?.device === undefined", "result?.device === null"),
    ],
  ],
  "a device that another site lets in": [
    [
      "the code of a device entered from anywhere",
      at(
        "pages/routes.ts",
        "      refuseOtherSites(request, publicUrl());\n",
        `      if (request.url !== "/device") refuseOtherSites(request, publicUrl());\n`,
      ),
    ],
    [
      "a login on a device that goes on in any browser",
      at("provider/library/patches.ts", "found && isHere(", `found?.deviceCode || isHere(`),
      at("provider/login/open.ts", "&& hasBegun(", "&& details.deviceCode || hasBegun("),
    ],
  ],
  "a device code used twice": [
    [
      "a device answered twice",
      at(
        adapter,
        "key: `DeviceAnswer:${id}`, expiresMs, usesMax: 1",
        "key: `DeviceAnswer:${id}`, expiresMs",
      ),
    ],
    [
      "a code used again",
      at(adapter, "await artifacts.useFirst(key, () => request.lose(family));", "void family;"),
    ],
  ],
  "a device that asks too fast": [
    ["a device that asks without a pause", at(library, "      throw new SlowDown();\n", "")],
  ],
  "a device code in other hands": [
    [
      "the id of a device code taken for what the device shows",
      at(library, "isShown ? hashSecret", "isShown && value.length < 64 ? hashSecret"),
    ],
    [
      "what a device shows kept as it is",
      at(library, "this.jti = hashSecret(secret);", "this.jti = secret;"),
      at(library, "isShown ? hashSecret(value) : value", "isShown ? value : value"),
    ],
    ["what people type kept as it is", at(adapter, "userCode: _typed, ...rest", "...rest")],
  ],
};
