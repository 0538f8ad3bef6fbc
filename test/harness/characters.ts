import { fc } from "./laws.ts";

/** Where code points begin that are no characters, and how many there are. */
const [surrogatesAt, surrogates] = [0xd800, 0x800];

/**
 * Any character, as a unit of `fc.string`. For its own unit `binary`, which has the same ones,
 * fast-check makes a table of all of them, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - surrogates).map(
  (index) => String.fromCodePoint(index < surrogatesAt ? index : index + surrogates),
  (value) => {
    const point = typeof value === "string" ? value.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== value) throw new Error("not one");
    return point < surrogatesAt ? point : point - surrogates;
  },
);
