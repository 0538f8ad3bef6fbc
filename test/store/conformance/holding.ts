import { expect } from "@jest/globals";
import type { Filter } from "../../../src/store/query.ts";
import type { Store } from "../../../src/store/store.ts";
import { few } from "../../harness/in-full.ts";
import { append, eventsOf, streamsOf, thing } from "../fixture.ts";
import { ways } from "./filter.ts";
import type { Open } from "./place.ts";

/** Which objects a filter by claims lets through. */
export function holdingCases(open: Open): void {
  async function namesOf(store: Store, where: Filter, way = {}): Promise<readonly string[]> {
    const found = await streamsOf(store, { where, ...way });
    return found.map((stream) => stream.slice("thing-".length));
  }

  few(2).each(ways)(
    "lets through what holds claims in one of the scopes, listing %j",
    async (way) => {
      const store = await open();
      const holding = (name: string, ...scopes: readonly string[]) => ({
        ...thing(`thing-${name}`, { name, nick: "same" }, "p-1"),
        take: scopes.map((scope) => ({ kind: "thing.name", scope, value: name })),
      });
      // The last has a field with the same text in the same list, and no claim.
      const made = [holding("one", "s-1", "s-2"), holding("two", "s-2"), holding("none")];
      eventsOf(await store.append(append([...made, thing("thing-s-1", { name: "x" }, "s-1")])));
      const holds = (...scopes: string[]): Filter => ({
        kind: "holds",
        claims: "thing.name",
        scopes,
      });
      const found = async (...scopes: string[]) =>
        (await namesOf(store, holds(...scopes), way)).toSorted();
      expect(await found("s-1")).toEqual(["one"]);
      expect(await found("s-2")).toEqual(["one", "two"]);
      expect(await found("s-1", "s-2", "s-3")).toEqual(["one", "two"]);
      expect(await found("s-3")).toEqual([]);
      expect(await found()).toEqual([]);
      expect(
        await namesOf(store, { kind: "holds", claims: "thing.nick", scopes: ["s-1"] }, way),
      ).toEqual([]);
    },
  );
}
