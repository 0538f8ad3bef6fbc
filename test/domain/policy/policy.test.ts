import { describe, expect, test } from "@jest/globals";
import type { Decision } from "../../../src/domain/decision.ts";
import {
  contrastViolations,
  type LabelPolicy,
  label,
  labelPolicy,
} from "../../../src/domain/policy/label.ts";
import {
  addSecondFactor,
  login,
  loginPolicy,
  removeSecondFactor,
} from "../../../src/domain/policy/login.ts";
import {
  addPolicy,
  changePolicy,
  type PolicyKind,
  type PolicyState,
  policyBefore,
  policyId,
  removePolicy,
} from "../../../src/domain/policy/policy.ts";
import {
  httpsProblem,
  type PrivacyPolicy,
  privacy,
  privacyPolicy,
} from "../../../src/domain/policy/privacy.ts";
import { fc } from "../../harness/laws.ts";
import { holdLaws } from "../laws.ts";
import { loginPolicies } from "./policies.ts";

const { images: _images, ...labelSettings } = label.defaults;
const owners = [undefined, "org-1"];

describe("label policies", () => {
  const settings = fc.record<Omit<LabelPolicy, "images">>({
    ...fixed(labelSettings),
    themeMode: fc.constantFrom("AUTO", "LIGHT", "DARK"),
  });
  holdLaws(labelPolicy, commandOn(label, settings));

  test("keep their images when the colours are replaced", () => {
    const images = { logo: { light: { sha256: "ab", type: "image/png" } }, icon: {} } as const;
    const before = { ...label.defaults, images };
    const { events } = changePolicy(label, before, { ...labelSettings, themeMode: "DARK" });
    const [changed = { type: "policy.label.removed", payload: {} }] = events.policy ?? [];
    const envelope = { owner: "org-1", actor: "somebody", timeMs: 1 };
    const state = { ...before, organization: "org-1" };
    const after = labelPolicy.evolve(state, { ...changed, ...envelope });
    expect(after).toEqual({ ...state, themeMode: "DARK" });
  });
});

describe("privacy policies", () => {
  const settings = fc.record<PrivacyPolicy>({
    ...fixed(privacy.defaults),
    tosLink: fc.constantFrom("", "https://example.com/terms"),
    supportEmail: fc.constantFrom("", "help@example.com"),
  });
  holdLaws(privacyPolicy, commandOn(privacy, settings));

  test.each(["https://example.com", "https://example.com/terms?a=b#c"])("take %s", (link) => {
    expect(httpsProblem(link)).toBeUndefined();
  });
  test.each([
    ...[
      "http://example.com",
      "javascript:alert(1)",
      "https://",
      "https:example.com",
      "example.com",
    ],
    ...["https://a:b@example.com", "HTTPS//x", "https://exa mple.com"],
  ])("refuse %s", (link) => {
    expect(httpsProblem(link)).toBe("must be an absolute https URL without user or password");
  });
});

describe("colours", () => {
  const named = { font_color: "#777777", background_color: "#ffffff" };
  test("of text that cannot be read are refused with the nearest that can", () => {
    expect(contrastViolations(named)).toEqual([
      {
        field: "font_color",
        description:
          "has a contrast of 4.47 with background_color (#ffffff), and needs 4.5: the nearest " +
          "colour that has it is #767676",
        names: ["background_color"],
      },
    ]);
    expect(contrastViolations({ ...named, font_color: "#767676" })).toEqual([]);
  });
  test.each([
    ["font_color", "background_color"],
    ["primary_color", "background_color"],
    ["warn_color", "background_color"],
    ["font_color_dark", "background_color_dark"],
    ["primary_color_dark", "background_color_dark"],
    ["warn_color_dark", "background_color_dark"],
  ])("%s and %s are compared", (text, ground) => {
    const broken = contrastViolations({ [text]: "#888888", [ground]: "#999999" });
    expect(broken.map(({ field }) => field)).toEqual([text]);
  });
});

test("the default has an id that no organization has", () => {
  expect([policyId(undefined), policyId("org-1")]).toEqual(["1", "org-1"]);
});

describe("login policies", () => {
  const settings = loginPolicies.map(({ secondFactors: _none, ...others }) => others);
  const factors = fc
    .tuple(fc.constantFrom(addSecondFactor, removeSecondFactor), fc.constantFrom(...owners))
    .map(([decide, owner]) => (state: PolicyState<typeof login.defaults> | undefined) => {
      return flat(decide(policyBefore(login, state, owner), "OTP"));
    });
  holdLaws(loginPolicy, fc.oneof(commandOn(login, settings), factors));
});

/** What is done to a policy of the kind, of an organization or the instance. */
function commandOn<Name extends string, Policy extends object, Kept extends keyof Policy>(
  kind: PolicyKind<Name, Policy, Kept>,
  settings: fc.Arbitrary<Omit<Policy, Kept>>,
) {
  const given = settings as fc.Arbitrary<Omit<Policy, Kept> & Partial<Pick<Policy, Kept>>>;
  return fc
    .tuple(fc.constantFrom("add", "change", "remove"), given, fc.constantFrom(...owners))
    .map(([what, input, owner]) => (state: PolicyState<Policy> | undefined) => {
      if (what === "add") return flat(addPolicy(kind, state, input));
      if (what === "remove") return flat(removePolicy(kind, state));
      return flat(changePolicy(kind, policyBefore(kind, state, owner), input));
    });
}

function flat<Event>({ events, ...rest }: Decision<{ readonly policy?: readonly Event[] }>) {
  return { events: events.policy ?? [], ...rest };
}

/** Each field as it is. */
function fixed<Fields extends object>(fields: Fields) {
  const all = Object.entries(fields).map(([name, value]) => [name, fc.constant(value)]);
  return Object.fromEntries(all) as { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> };
}
