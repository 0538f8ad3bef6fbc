import { describe, expect, test } from "@jest/globals";
import { withoutLinks } from "../../src/text/visible.ts";
import { fc } from "../harness/laws.ts";

describe("withoutLinks", () => {
  test.each([
    ["http://evil.example/login", "http: //evil. example/login"],
    ["www.evil.example", "www. evil. example"],
    ["evil\u3002example", "evil\u3002 example"],
    ["evil\uff0eexample", "evil\uff0e example"],
    ["evil\uff61example", "evil\uff61 example"],
    ["evil\u2024example", "evil\u2024 example"],
    ["evil.\u200cexample", "evil. \u200cexample"],
    ["\\\\host", "\\ \\ host"],
    ["ada@example.com", "ada@ example. com"],
    ["mailto:ada", "mailto: ada"],
    ["J. R. R. Tolkien", "J. R. R. Tolkien"],
    ["Dr.Ada", "Dr. Ada"],
    ["Ada Lovelace", "Ada Lovelace"],
    ["Call +41 79 123 45 67", "Call +41 79 1•• •• ••"],
    ["call 0900-123456 now", "call 0900-1••••• now"],
    ["\uff10\u0661\u09e8345", "\uff10\u0661\u09e834•"],
    ["20231234", "20231•••"],
    ["360 Capital 2024", "360 Capital 20••"],
    ["Ada 12345", "Ada 12345"],
    ["Zoë 😀 O'Neill-Śmith", "Zoë 😀 O'Neill-Śmith"],
    ["", ""],
  ])("%j is %j", (text, expected) => {
    expect(withoutLinks(text)).toBe(expected);
  });

  test("leaves nothing that an address could be made of, and all letters", () => {
    const parts = fc.constantFrom("a", ".", "/", ":", "@", " ", "\u3002", "\uff0f", "é", "www");
    fc.assert(
      fc.property(fc.array(parts), (given) => {
        const text = given.join("");
        const shown = withoutLinks(text);
        expect(shown.normalize("NFKC")).not.toMatch(/[.:@\u3002](?=\S)/);
        expect(shown.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        expect(withoutLinks(shown)).toBe(shown);
      }),
    );
  });
});
