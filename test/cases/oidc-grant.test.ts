import { OIDCGrantType, OIDCResponseType } from "../../gen/iam/app/v1/app_pb.js";
import type { GrantType, ResponseType } from "../../src/domain/app/app.ts";
import { runCases } from "../harness/cases.ts";
import { oidcRefused, oidcStored } from "./apps.ts";
import { binaryOnly } from "./stored.ts";

const response = {
  CODE: OIDCResponseType.OIDC_RESPONSE_TYPE_CODE,
  ID_TOKEN: OIDCResponseType.OIDC_RESPONSE_TYPE_ID_TOKEN,
  ID_TOKEN_TOKEN: OIDCResponseType.OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN,
};

const grant = {
  AUTHORIZATION_CODE: OIDCGrantType.OIDC_GRANT_TYPE_AUTHORIZATION_CODE,
  IMPLICIT: OIDCGrantType.OIDC_GRANT_TYPE_IMPLICIT,
  REFRESH_TOKEN: OIDCGrantType.OIDC_GRANT_TYPE_REFRESH_TOKEN,
  DEVICE_CODE: OIDCGrantType.OIDC_GRANT_TYPE_DEVICE_CODE,
};

type Row = readonly [types: readonly ResponseType[], grants: readonly GrantType[]];

const enough: readonly Row[] = [
  [["CODE"], ["AUTHORIZATION_CODE"]],
  [["CODE"], ["DEVICE_CODE"]],
  [["CODE"], ["REFRESH_TOKEN", "DEVICE_CODE"]],
  [["ID_TOKEN"], ["IMPLICIT"]],
  [["ID_TOKEN_TOKEN"], ["IMPLICIT"]],
  [["ID_TOKEN", "ID_TOKEN_TOKEN"], ["IMPLICIT"]],
  [
    ["CODE", "ID_TOKEN"],
    ["IMPLICIT", "AUTHORIZATION_CODE"],
  ],
  [
    ["CODE", "ID_TOKEN_TOKEN"],
    ["IMPLICIT", "DEVICE_CODE"],
  ],
];

/** With how many of the response types lack their grant. */
const lacking: readonly (readonly [...Row, number])[] = [
  [["CODE"], ["IMPLICIT"], 1],
  [["CODE"], ["REFRESH_TOKEN"], 1],
  [["CODE"], ["IMPLICIT", "REFRESH_TOKEN"], 1],
  [["ID_TOKEN"], ["AUTHORIZATION_CODE"], 1],
  [["ID_TOKEN"], ["DEVICE_CODE"], 1],
  [["ID_TOKEN"], ["REFRESH_TOKEN"], 1],
  [["ID_TOKEN"], ["AUTHORIZATION_CODE", "REFRESH_TOKEN", "DEVICE_CODE"], 1],
  [["ID_TOKEN_TOKEN"], ["AUTHORIZATION_CODE"], 1],
  [["ID_TOKEN_TOKEN"], ["DEVICE_CODE"], 1],
  [["ID_TOKEN_TOKEN"], ["REFRESH_TOKEN"], 1],
  [["CODE", "ID_TOKEN"], ["AUTHORIZATION_CODE"], 1],
  [["CODE", "ID_TOKEN"], ["IMPLICIT"], 1],
  [["CODE", "ID_TOKEN", "ID_TOKEN_TOKEN"], ["AUTHORIZATION_CODE"], 2],
  [["CODE", "ID_TOKEN", "ID_TOKEN_TOKEN"], ["REFRESH_TOKEN"], 3],
  [["ID_TOKEN", "ID_TOKEN"], ["AUTHORIZATION_CODE"], 1],
  // What is left out has its default, and the defaults keep to the rule too.
  [[], ["IMPLICIT"], 1],
  [["ID_TOKEN"], [], 1],
];

runCases("response types and grants of AddOIDCApp", [
  ...enough.map(([types, grants]) =>
    oidcStored(`${types.join(" and ")} by ${grants.join(" and ")}`, given(types, grants), {
      responseTypes: types,
      grantTypes: grants,
    }),
  ),
  oidcStored("the default code by DEVICE_CODE", given([], ["DEVICE_CODE"]), {
    grantTypes: ["DEVICE_CODE"],
  }),
  oidcStored("CODE by the default grant", given(["CODE"], []), {}),
  ...lacking.map(([types, grants, count]) =>
    oidcRefused(
      `${types.join(" and ") || "default"} by ${grants.join(" and ") || "default"} is refused`,
      given(types, grants),
      Array.from({ length: count }, () => "response_types"),
    ),
  ),
]);

runCases("clock skew of AddOIDCApp", [
  oidcStored("takes 0 s", { clockSkew: {} }, { clockSkewNanos: 0 }),
  oidcStored("takes 1 ns", { clockSkew: { nanos: 1 } }, { clockSkewNanos: 1 }),
  oidcStored("takes 1.5 s", skew(1n, 500_000_000), { clockSkewNanos: 1_500_000_000 }),
  oidcStored("takes 5 s", skew(5n, 0), { clockSkewNanos: 5_000_000_000 }),
  oidcRefused("refuses 5.000000001 s", skew(5n, 1), ["clock_skew"]),
  oidcRefused("refuses −1 ns", skew(0n, -1), ["clock_skew"]),
  oidcRefused("refuses −1 s", skew(-1n, 0), ["clock_skew"]),
  oidcRefused("refuses 10,000 years", skew(315_576_000_000n, 0), ["clock_skew"]),
  // No JSON text says these; in Protobuf's binary form they are as easy as any.
  ...(
    [
      ["more than 10,000 years", 315_576_000_001n, 0],
      ["less than −10,000 years", -315_576_000_001n, 0],
      ["the most that 64 bits say", 2n ** 63n - 1n, 0],
      ["the least that 64 bits say", -(2n ** 63n), 0],
      ["a whole second of nanoseconds", 0n, 1_000_000_000],
      ["seconds and nanoseconds of different signs", 1n, -1],
    ] as const
  ).map(([what, seconds, nanos]) =>
    oidcRefused(`refuses ${what}`, skew(seconds, nanos), ["clock_skew"], binaryOnly),
  ),
]);

function given(types: readonly ResponseType[], grants: readonly GrantType[]) {
  return {
    responseTypes: types.map((type) => response[type]),
    grantTypes: grants.map((type) => grant[type]),
  };
}

function skew(seconds: bigint, nanos: number) {
  return { clockSkew: { seconds, nanos } };
}
