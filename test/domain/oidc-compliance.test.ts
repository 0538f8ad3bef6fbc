import { describe, expect, test } from "@jest/globals";
import type { AppType, GrantType, OIDCAuthMethod } from "../../src/domain/app/app.ts";
import { type ComplianceInput, checkCompliance } from "../../src/domain/oidc-compliance.ts";
import { fc } from "../harness/laws.ts";

/** A table: what is configured, and which keys that leads to. */

const prefix = "Application.OIDC.V1.";
const https = "https://app.example.com/callback";
const http = "http://app.example.com/callback";
const loopback = "http://127.8.9.10:3000/callback";
const custom = "com.example.app:/callback";

type Row = readonly [
  grants: readonly GrantType[],
  type: AppType,
  method: OIDCAuthMethod,
  uris: readonly string[],
  problems: string,
  inDevMode: string,
];

const code = ["AUTHORIZATION_CODE"] as const;
const implicit = ["IMPLICIT"] as const;
const both = [...code, ...implicit] as const;
const device = ["DEVICE_CODE"] as const;
const refresh = ["REFRESH_TOKEN"] as const;

const note = "NotAllCombinationsAreAllowed";
const noUris = "NotCompliant NoRedirectUris";
const noRefresh = "NotCompliant GrantType.Refresh.NoAuthCode";
const notHttp = "NotCompliant Implicit.RedirectUris.HttpNotAllowed";
const notCustom = "NotCompliant Implicit.RedirectUris.CustomNotAllowed";
const httpForWeb = "NotCompliant Code.RedirectUris.HttpOnlyForWeb";
const customForNative = "NotCompliant Code.RedirectUris.CustomOnlyForNative";
const noUrisNorRefresh = `${noUris} GrantType.Refresh.NoAuthCode`;
const notCustomNorHttp = `${notCustom} Code.RedirectUris.HttpOnlyForWeb`;
const implicitNeither = `${notCustom} Implicit.RedirectUris.HttpNotAllowed`;
const codeNeither = `${httpForWeb} Code.RedirectUris.CustomOnlyForNative`;
const nativeSecret = "NotCompliant Native.AuthMethodType.NotNone";
const browserSecret = "NotCompliant UserAgent.AuthMethodType.NotNone";
const noteAndSecret = `NotCompliant ${note} Native.AuthMethodType.NotNone`;
const localhost = "NotCompliant Native.RedirectUris.MustBeHttpLocalhost";

// biome-ignore format: a table is read by its columns.
const rows: readonly Row[] = [
  [code, "WEB", "BASIC", [https], "", ""],
  [code, "WEB", "BASIC", [], noUris, noUris],
  [implicit, "WEB", "BASIC", [], noUris, noUris],
  [refresh, "WEB", "BASIC", [], noUrisNorRefresh, noUrisNorRefresh],
  [device, "WEB", "BASIC", [], "", ""],
  [[...device, ...implicit], "WEB", "BASIC", [], "", ""],
  [[...device, ...code], "WEB", "BASIC", [], noUris, noUris],
  [[...refresh, ...implicit], "WEB", "BASIC", [https], noRefresh, noRefresh],
  [[...refresh, ...code], "WEB", "BASIC", [https], "", ""],
  [[...refresh, ...device], "WEB", "BASIC", [https], "", ""],

  [both, "WEB", "BASIC", [https], "", ""],
  [both, "WEB", "BASIC", [http], note, note],
  [both, "WEB", "BASIC", [custom], notCustom, notCustom],
  [both, "USER_AGENT", "NONE", [http], httpForWeb, note],
  [both, "USER_AGENT", "NONE", [loopback], httpForWeb, note],
  [both, "USER_AGENT", "NONE", [custom, http], notCustomNorHttp, notCustom],
  [both, "NATIVE", "NONE", [http], localhost, note],
  [both, "NATIVE", "NONE", [loopback], note, note],
  [both, "NATIVE", "NONE", [loopback, http], localhost, note],
  [both, "NATIVE", "NONE", [custom], note, note],

  [implicit, "WEB", "BASIC", [http], notHttp, ""],
  [implicit, "WEB", "BASIC", [loopback], notHttp, ""],
  [implicit, "WEB", "BASIC", [custom], notCustom, notCustom],
  [implicit, "WEB", "BASIC", [custom, http], implicitNeither, notCustom],
  [implicit, "USER_AGENT", "NONE", [http], notHttp, ""],
  [implicit, "NATIVE", "NONE", [http], localhost, ""],
  [implicit, "NATIVE", "NONE", [loopback], "", ""],
  [implicit, "NATIVE", "NONE", [custom], notCustom, notCustom],

  [code, "WEB", "BASIC", [http], "", ""],
  [code, "WEB", "BASIC", [custom], customForNative, customForNative],
  [code, "USER_AGENT", "NONE", [http], httpForWeb, ""],
  [code, "USER_AGENT", "NONE", [loopback], httpForWeb, ""],
  [code, "USER_AGENT", "NONE", [custom, http], codeNeither, customForNative],
  [code, "NATIVE", "NONE", [http], localhost, ""],
  [code, "NATIVE", "NONE", [loopback, custom], "", ""],
  [device, "USER_AGENT", "NONE", [http, custom], "", ""],

  [code, "NATIVE", "BASIC", [https], nativeSecret, nativeSecret],
  [code, "NATIVE", "PRIVATE_KEY_JWT", [https], nativeSecret, nativeSecret],
  [code, "USER_AGENT", "POST", [https], browserSecret, browserSecret],
  [both, "NATIVE", "POST", [custom], noteAndSecret, noteAndSecret],
  [code, "WEB", "NONE", [https], "", ""],
];

describe.each(rows)("%p, %s, %s, %p", (grantTypes, appType, authMethod, redirectUris, off, on) => {
  const input = { grantTypes, appType, authMethod, redirectUris };

  test.each([
    [false, off],
    [true, on],
  ])("in development mode: %s", (devMode, problems) => {
    expect(checkCompliance({ ...input, devMode })).toEqual({
      noneCompliant: problems.startsWith("NotCompliant"),
      problems: problems === "" ? [] : problems.split(" ").map((problem) => prefix + problem),
    });
  });
});

test.each([
  ["http://localhost/callback", ""],
  ["http://LOCALHOST:8080/callback", ""],
  ["http://127.0.0.1/callback", ""],
  ["http://127.255.255.254:1/callback", ""],
  ["http://[::1]:3000/callback", ""],
  ["http://128.0.0.1/callback", localhost],
  ["http://localhost.example.com/callback", localhost],
  ["http://127.0.0.1.example.com/callback", localhost],
  ["http://localhost@app.example.com/callback", localhost],
  ["http://[::2]/callback", localhost],
  ["http://0.0.0.0/callback", localhost],
])("a native application is at home at %s: %p", (uri, problems) => {
  const input = {
    appType: "NATIVE",
    authMethod: "NONE",
    grantTypes: code,
    devMode: false,
  } as const;
  const found = checkCompliance({ ...input, redirectUris: [uri] }).problems.join(" ");
  expect(found.replaceAll(prefix, "")).toBe(problems);
});

describe("whatever is configured", () => {
  const inputs: fc.Arbitrary<ComplianceInput> = fc.record({
    appType: fc.constantFrom("WEB", "USER_AGENT", "NATIVE"),
    authMethod: fc.constantFrom("BASIC", "POST", "NONE", "PRIVATE_KEY_JWT"),
    grantTypes: fc.uniqueArray(fc.constantFrom(...both, ...device, ...refresh)),
    redirectUris: fc.array(fc.constantFrom(https, http, loopback, custom), { maxLength: 4 }),
    devMode: fc.boolean(),
  });

  test("NotCompliant stands first exactly where noneCompliant is true, and no key twice", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { noneCompliant, problems } = checkCompliance(input);
        expect(problems.indexOf(`${prefix}NotCompliant`)).toBe(noneCompliant ? 0 : -1);
        expect(new Set(problems).size).toBe(problems.length);
      }),
    );
  });

  test("development mode adds no problem but the note", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const strict = checkCompliance({ ...input, devMode: false }).problems;
        const lenient = checkCompliance({ ...input, devMode: true }).problems;
        const added = lenient.filter((problem) => !strict.includes(problem));
        expect([[], [prefix + note]]).toContainEqual(added);
      }),
    );
  });

  test("the order of grants does not matter", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const reversed = { ...input, grantTypes: input.grantTypes.toReversed() };
        expect(checkCompliance(reversed)).toEqual(checkCompliance(input));
      }),
    );
  });
});
