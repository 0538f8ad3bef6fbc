import { describe, expect, test } from "@jest/globals";
import { addOrg, type OrgEvent, type OrgState, org, setUpOrg } from "../../src/domain/org.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const envelope = { owner: "org-1", actor: "x", timeMs: 1 };

describe("addOrg", () => {
  test.each(["Acme", " Acme ", "Åcme GmbH & Co. 🚀", "__proto__"])(
    "records the name %j as it is",
    (name) => {
      expect(addOrg({ name })).toEqual({
        events: { org: [{ type: "org.added", payload: { name } }] },
      });
    },
  );

  test("is what the first start does", () => {
    expect(setUpOrg("Default")).toEqual([{ type: "org.added", payload: { name: "Default" } }]);
  });
});

describe("the state", () => {
  const [event] = setUpOrg("Acme");
  const state = org.evolve(undefined, { ...event!, ...envelope });

  test("has the name, claims it in the instance and shows it", () => {
    expect(state).toStrictEqual({ name: "Acme" });
    expect(org.claims(state!)).toEqual([{ kind: "org.name", scope: "", value: "acme" }]);
    expect(org.row(state!)).toEqual({
      parent: "",
      fields: { name: "Acme", state: "ACTIVE" },
    });
  });

  test("does not take an event that nobody knows", () => {
    const unknown = { type: "org.renamed", payload: {}, ...envelope } as never;
    expect(() => org.evolve(state, unknown)).toThrow("org.renamed");
  });
});

describe("laws", () => {
  const command = text(200).map<LifeCommand<OrgState, OrgEvent>>((name) => (state) => {
    const { events, rejection } = state === undefined ? addOrg({ name }) : { events: {} };
    return { events: events.org ?? [], ...(rejection ? { rejection } : {}) };
  });

  holdLaws(org, command);
});
