import { describe, expect, test } from "@jest/globals";
import { judgeAdmission } from "../../src/domain/admission.ts";
import type { Permission, Scope } from "../../src/domain/permission.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import {
  inactive,
  inHome,
  instance,
  made,
  manager,
  now,
  onProject,
  owner,
  userWith,
} from "./user/users.ts";

const tokens = {
  t: { tokenHash: "h", ...made },
  ending: { tokenHash: "e", expirationMs: now + 1, ...made },
};
const holding = (state: UserState): UserState => ({ ...state, tokens });
const elsewhere: Scope = { level: "organization", organization: "org-b" };

describe("a caller who was let in", () => {
  type Row = readonly [string, UserState | undefined, string, Permission, Scope, number, string];

  test.each<Row>([
    ["holds what it held", holding(manager), "h", "user.write", inHome, now, "in"],
    ["holds it from above", holding(owner), "h", "user.write", inHome, now, "in"],
    [
      "holds it for a project from above",
      holding(owner),
      "h",
      "project.app.write",
      onProject,
      now,
      "in",
    ],
    ["has a token that has not ended", holding(manager), "e", "user.write", inHome, now, "in"],
    ["has one that has", holding(manager), "e", "user.write", inHome, now + 1, "UNAUTHENTICATED"],
    ["has other tokens only", holding(manager), "x", "user.write", inHome, now, "UNAUTHENTICATED"],
    ["has no token", manager, "h", "user.write", inHome, now, "UNAUTHENTICATED"],
    ["is gone", undefined, "h", "user.write", inHome, now, "UNAUTHENTICATED"],
    ["is inactive", inactive(holding(owner)), "h", "user.write", inHome, now, "UNAUTHENTICATED"],
    ["has no role", holding(userWith()), "h", "user.write", inHome, now, "PERMISSION_DENIED"],
    ["has another role", holding(manager), "h", "org.idp.write", inHome, now, "PERMISSION_DENIED"],
    ["has it elsewhere", holding(manager), "h", "user.write", elsewhere, now, "PERMISSION_DENIED"],
    ["has it below", holding(manager), "h", "user.write", instance, now, "PERMISSION_DENIED"],
    ["has neither", userWith(), "h", "user.write", inHome, now, "UNAUTHENTICATED"],
  ])("%s", (_, caller, tokenHash, permission, scope, nowMs, expected) => {
    const needs = { permission, scope };
    const shown = { kind: "personal", tokenHash } as const;
    expect(judgeAdmission({ caller }, { shown, needs }, nowMs)?.reason ?? "in").toBe(expected);
    // Where the decision judges what the caller may, the token alone counts.
    const byToken = expected === "UNAUTHENTICATED" ? expected : "in";
    expect(judgeAdmission({ caller }, { shown }, nowMs)?.reason ?? "in").toBe(byToken);
  });
});

test.each([
  [{}, "The caller does not hold the permission user.delete that this method needs."],
  [
    { chosenBy: "x-org" },
    "The caller does not hold the permission user.delete that this method needs. " +
      "The call acts on the organization that x-org names.",
  ],
])("a caller who lacks a permission is told which, with %j", (chosen, message) => {
  const needs = { permission: "user.delete", scope: inHome } as const;
  const shown = { kind: "personal", tokenHash: "h" } as const;
  const caller = holding(userWith());
  const lost = judgeAdmission({ caller }, { shown, needs, ...chosen }, now);
  expect(lost).toEqual({ reason: "PERMISSION_DENIED", message });
});
