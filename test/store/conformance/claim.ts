import { expect, it } from "@jest/globals";
import type { Claim } from "../../../src/event.ts";
import { append, change, claim, eventsOf } from "../fixture.ts";
import type { Open } from "./place.ts";

/** Claims: who holds one, who may take it and when it is free again. */
export function claimCases(open: Open): void {
  it("finds the stream that holds a claim, and nothing where none does", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0, { take: [claim("one"), claim("two")] })]));
    expect(await store.find(claim("one"))).toBe("thing-1");
    expect(await store.find(claim("two"))).toBe("thing-1");
    expect(await store.find(claim("three"))).toBeUndefined();
  });

  it("refuses a claim that another stream holds, and writes nothing", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0, { take: [claim("name")] })]));
    const taken = append([change("thing-2", 0, { take: [claim("other"), claim("name")] })]);
    expect(await store.append(taken)).toEqual({ kind: "claim-taken", claim: claim("name") });
    expect(await store.find(claim("other"))).toBeUndefined();
    expect(await store.load(["thing-2"])).toMatchObject([{ version: 0 }]);
  });

  it("refuses a claim that two streams of one append want", async () => {
    const store = await open();
    const take = [claim("name")];
    const both = append([change("thing-1", 0, { take }), change("thing-2", 0, { take })]);
    expect(await store.append(both)).toEqual({ kind: "claim-taken", claim: claim("name") });
    expect(await store.readAll(0n, 10)).toEqual([]);
  });

  it("lets a stream take what it holds already", async () => {
    const store = await open();
    const take = [claim("name")];
    await store.append(append([change("thing-1", 0, { take })]));
    eventsOf(await store.append(append([change("thing-1", 1, { take })])));
    expect(await store.find(claim("name"))).toBe("thing-1");
  });

  // Each pair would be one claim if case were ignored or the parts were glued with a colon.
  it.each<[string, readonly [Claim, Claim]]>([
    ["case of the value", [claim("Name"), claim("name")]],
    ["case of the scope", [claim("name", "Org"), claim("name", "org")]],
    ["case of the kind", [claim("name", "org", "Name"), claim("name", "org", "name")]],
    ["case beyond ASCII", [claim("Ä"), claim("ä")]],
    ["value", [claim("a"), claim("b")]],
    ["scope", [claim("a", "org-1"), claim("a", "org-2")]],
    ["kind", [claim("a", "org-1", "name"), claim("a", "org-1", "mail")]],
    ["white space at the end", [claim("a"), claim("a ")]],
    ["composed and decomposed letters", [claim("\u00e9"), claim("e\u0301")]],
    ["digits and their number", [claim("1"), claim("01")]],
    ["where scope and value meet", [claim("b:c", "a"), claim("c", "a:b")]],
    ["where kind and scope meet", [claim("c", "b:c", "a"), claim("c", "c", "a:b")]],
  ])("tells claims apart by %s", async (_, [one, other]) => {
    const store = await open();
    eventsOf(await store.append(append([change("thing-1", 0, { take: [one] })])));
    eventsOf(await store.append(append([change("thing-2", 0, { take: [other] })])));
    expect(await store.find(one)).toBe("thing-1");
    expect(await store.find(other)).toBe("thing-2");
    eventsOf(await store.append(append([change("thing-1", 1, { release: [one] })])));
    expect(await store.find(one)).toBeUndefined();
    expect(await store.find(other)).toBe("thing-2");
    const both = [
      change("thing-1", 2, { take: [one] }),
      change("thing-2", 1, { take: [other], release: [other] }),
    ];
    eventsOf(await store.append(append(both)));
    expect(await store.find(one)).toBe("thing-1");
    expect(await store.find(other)).toBe("thing-2");
  });

  it("tells claims apart whatever their parts could be glued with", async () => {
    const store = await open();
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    const glues = ["", ...ascii, "::", "--", "\r\n", '","', "','"];
    const left = glues.flatMap((glue) => [claim(`b${glue}c`, "a"), claim("c", `b${glue}c`, "a")]);
    const right = glues.flatMap((glue) => [claim("c", `a${glue}b`), claim("c", "c", `a${glue}b`)]);
    const holders = (claims: readonly Claim[]) =>
      Promise.all(claims.map((each) => store.find(each)));
    const changes = [change("left", 0, { take: left }), change("right", 0, { take: right })];
    eventsOf(await store.append(append(changes)));
    expect(await holders(left)).toEqual(left.map(() => "left"));
    expect(await holders(right)).toEqual(right.map(() => "right"));
    eventsOf(await store.append(append([change("left", 1, { release: left })])));
    expect(await holders(left)).toEqual(left.map(() => undefined));
    expect(await holders(right)).toEqual(right.map(() => "right"));
  });

  it("frees a released claim for everybody", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0, { take: [claim("a"), claim("b")] })]));
    await store.append(append([change("thing-1", 1, { release: [claim("a")] })]));
    expect(await store.find(claim("a"))).toBeUndefined();
    expect(await store.find(claim("b"))).toBe("thing-1");
    eventsOf(await store.append(append([change("thing-2", 0, { take: [claim("a")] })])));
    expect(await store.find(claim("a"))).toBe("thing-2");
  });

  it("lets a removal release what the object held", async () => {
    const store = await open();
    const take = [claim("name")];
    await store.append(append([change("thing-1", 0, { take })]));
    const removal = { state: undefined, row: undefined, release: take };
    eventsOf(await store.append(append([change("thing-1", 1, removal)])));
    expect(await store.find(claim("name"))).toBeUndefined();
    eventsOf(await store.append(append([change("thing-2", 0, { take })])));
  });

  it("lets one stream release and retake a claim in one append", async () => {
    const store = await open();
    const held = [claim("name")];
    await store.append(append([change("thing-1", 0, { take: held })]));
    eventsOf(await store.append(append([change("thing-1", 1, { take: held, release: held })])));
    expect(await store.find(claim("name"))).toBe("thing-1");
  });

  it.each([
    ["the releasing stream first", (a: string, b: string) => [a, b]],
    ["the taking stream first", (a: string, b: string) => [b, a]],
  ])("hands a claim from stream to stream in one append, %s", async (_, order) => {
    const store = await open();
    const held = [claim("name")];
    await store.append(append([change("thing-1", 0, { take: held })]));
    const changes = order("thing-1", "thing-2").map((stream) =>
      stream === "thing-1"
        ? change(stream, 1, { release: held })
        : change(stream, 0, { take: held }),
    );
    eventsOf(await store.append(append(changes)));
    expect(await store.find(claim("name"))).toBe("thing-2");
  });

  it("swaps the claims of two streams in one append", async () => {
    const store = await open();
    const [a, b] = [[claim("a")], [claim("b")]];
    const made = append([change("thing-1", 0, { take: a }), change("thing-2", 0, { take: b })]);
    eventsOf(await store.append(made));
    const swap = append([
      change("thing-1", 1, { take: b, release: a }),
      change("thing-2", 1, { take: a, release: b }),
    ]);
    eventsOf(await store.append(swap));
    expect(await store.find(claim("a"))).toBe("thing-2");
    expect(await store.find(claim("b"))).toBe("thing-1");
  });

  it("rejects the release of a claim that nobody or another stream holds", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0, { take: [claim("held")] })]));
    for (const value of ["held", "free"]) {
      const wrong = append([change("thing-2", 0, { release: [claim(value)] })]);
      await expect(store.append(wrong)).rejects.toThrow("does not hold the claim");
    }
    expect(await store.find(claim("held"))).toBe("thing-1");
    expect(await store.readAll(0n, 10)).toHaveLength(1);
  });

  it("answers a late release with the version conflict that explains it", async () => {
    const store = await open();
    const release = [claim("name")];
    await store.append(append([change("thing-1", 0, { take: release })]));
    await store.append(append([change("thing-1", 1, { release })]));
    const late = await store.append(append([change("thing-1", 1, { release })]));
    expect(late).toEqual({ kind: "version-conflict", stream: "thing-1" });
  });
}
