import { expect, test } from "@jest/globals";
import { madeBy, operator, viaOf } from "../../../../src/domain/user/state/made.ts";

test.each([
  ["its own token", { maker: "u" }, {}],
  ["a token of another", { maker: "m" }, { via: ["m"] }],
  ["its own, made with that of another", { maker: "u", via: ["m"] }, { via: ["m"] }],
  ["one of another, made with a third", { maker: "m", via: ["n"] }, { via: ["m", "n"] }],
  ["one of another, made with its own", { maker: "m", via: ["u"] }, { via: ["m"] }],
  ["one that was given on the machine", { maker: operator }, {}],
  ["one of another, made with such a one", { maker: "m", via: [operator] }, { via: ["m"] }],
  ["one that went back and forth", { maker: "m", via: ["u", "m"] }, { via: ["m"] }],
])("what a user makes with %s", (_, token, via) => {
  expect(viaOf("u", token)).toEqual(via);
  const event = { owner: "o", actor: "u", timeMs: 0, payload: via };
  expect(madeBy(event)).toEqual({ maker: "u", ...via });
});
