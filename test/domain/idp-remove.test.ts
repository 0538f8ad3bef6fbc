import { describe, expect, test } from "@jest/globals";
import { type IDPEvent, type IDPState, idp, linksTo, parentsFor } from "../../src/domain/idp.ts";
import { addIDP, removeIDP } from "../../src/domain/idp-change.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const envelope = { owner: "org-a", actor: "x", timeMs: 1 };
const config = { name: "Portal", stylingType: "GOOGLE", autoRegister: true } as const;
const ofOrganization: IDPState = {
  ...config,
  ...{ serves: "ORGANIZATION", organization: "org-a", template: "OIDC" },
};
const ofInstance: IDPState = { ...ofOrganization, serves: "INSTANCE" };
const accepted = { events: { idp: [{ type: "idp.removed", payload: {} }] } };
const notFound = {
  events: {},
  rejection: {
    reason: "IDP_NOT_FOUND",
    message: "No identity provider with this id exists where the caller may act.",
  },
};

function inUse(message: string) {
  return { events: {}, rejection: { reason: "IDP_IN_USE", message } };
}

const one = inUse("1 user is linked to the identity provider: remove these links first.");
const many = inUse("1000 users are linked to the identity provider: remove these links first.");

test.each([
  ["of an organization", ofOrganization, 0, accepted],
  ["of the instance", ofInstance, 0, accepted],
  ["that a user is linked to", ofOrganization, 1, one],
  ["that users are linked to", ofInstance, 1_000, many],
  ["that is none", undefined, 0, notFound],
  ["that is none any more", undefined, 1, notFound],
])("removeIDP removes a provider %s, or says why not", (_, state, linked, expected) => {
  expect(removeIDP({ idp: state, linked }, "ALL")).toEqual(expected);
});

test.each([
  ["its own provider", ofOrganization, 0, "org-a", accepted],
  ["one that a user is linked to", ofOrganization, 1, "org-a", one],
  ["another's provider", ofOrganization, 0, "org-b", notFound],
  // Nothing is said about how many use it.
  ["another's provider in use", ofOrganization, 1, "org-b", notFound],
  ["one that it owns and that serves all", ofInstance, 0, "org-a", notFound],
  ["one that serves all, named by no organization", ofInstance, 0, "org-b", notFound],
  ["none", undefined, 0, "org-a", notFound],
])("removeIDP of an organization: %s", (_, state, linked, organization, expected) => {
  expect(removeIDP({ idp: state, linked }, { organization })).toEqual(expected);
});

describe("the state", () => {
  test("is gone when it is removed, and nothing is left of it", () => {
    const removed = { type: "idp.removed", payload: {}, ...envelope } as const;
    expect(idp.evolve(ofOrganization, removed)).toBeUndefined();
  });

  test.each([
    ["the instance", ofInstance, ""],
    ["its organization", ofOrganization, "org-a"],
  ])("is listed where it serves: %s", (_, state, parent) => {
    expect(idp.row(state)).toEqual({ parent, fields: { name: "Portal", serves: state.serves } });
  });

  test("an organization has its own providers and those of the instance", () => {
    expect(parentsFor("org-a")).toEqual(["", "org-a"]);
  });
});

test("links are found by what linked users claim", () => {
  const state = user.evolve(undefined, {
    ...envelope,
    type: "user.human.added",
    payload: {
      ...{ userName: "ada", firstName: "Ada", lastName: "L", nickName: "", displayName: "Ada" },
      ...{ preferredLanguage: "", gender: "UNSPECIFIED", passwordChangeRequired: false },
      email: "ada@example.com",
    },
  });
  const link = { idpId: "idp-1", externalUserId: "ada", displayName: "" };
  const linked = user.evolve(state, {
    ...envelope,
    type: "user.human.externalidp.added",
    payload: link,
  });
  const { kind, scope } = linksTo("idp-1");
  const held = user.claims(linked!).filter((claim) => claim.kind === kind && claim.scope === scope);
  expect(held).toHaveLength(1);
});

describe("laws", () => {
  const url = "https://idp.example.com";
  const jwt = { jwtEndpoint: url, issuer: url, keysEndpoint: url, headerName: "a" };
  const oidc = {
    ...{ issuer: url, clientId: "c", scopes: [] },
    displayNameMapping: "EMAIL",
    usernameMapping: "EMAIL",
  } as const;
  const command = fc
    .record({
      what: fc.constantFrom("jwt", "oidc", "remove", "removeOrg"),
      organization: fc.constantFrom("org-of-the-test", "org-of-others"),
      linked: fc.constantFrom(0, 1),
    })
    .map<LifeCommand<IDPState, IDPEvent>>(({ what, organization, linked }) => (state) => {
      const { events, rejection } =
        what === "remove"
          ? removeIDP({ idp: state, linked }, "ALL")
          : what === "removeOrg"
            ? removeIDP({ idp: state, linked }, { organization })
            : state !== undefined
              ? { events: {} }
              : what === "jwt"
                ? addIDP({ ...config, serves: "INSTANCE" }, { template: "JWT", settings: jwt })
                : addIDP(
                    { ...config, serves: "ORGANIZATION" },
                    { template: "OIDC", settings: oidc, clientSecret: "sealed" },
                  );
      return { events: events.idp ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(idp, command);
});
