import { describe, expect, test } from "@jest/globals";
import { weighPassword } from "../../src/domain/user/password.ts";
import { readPopular } from "../../src/secrets/passwords/popular.ts";

const isCommon = await readPopular();

const known = {
  ...{ userName: "adalove1815", firstName: "Augusta Ada", lastName: "King-Noel" },
  ...{ nickName: "Enchantress", displayName: "Countess of Lovelace" },
  email: "ada.lovelace@example.com",
};
const weigh = (password: string) => weighPassword(password, known, isCommon);

describe("weighPassword", () => {
  test.each([
    ["password"],
    ["PassWord"],
    ["ｐａｓｓｗｏｒｄ"],
    ["pass\u200bword"],
    ["12345678"],
    ["qwertyuiop"],
  ])("refuses %j, which many people have", (password) => {
    expect(weigh(password)).toMatchObject({ ok: false, reason: expect.stringMatching("many") });
  });

  test.each([
    ["adaLove1815"],
    ["augusta ada"],
    ["AugustaAda"],
    ["king-noel"],
    ["enchantress"],
    ["countess  of lovelace"],
    ["Augusta Ada King-Noel"],
    ["King-Noel Augusta Ada"],
    ["Ada.Lovelace@Example.com"],
    ["ada.lovelace"],
  ])("refuses %j, which is the person's own", (password) => {
    expect(weigh(password)).toMatchObject({ ok: false, reason: expect.stringMatching("the name") });
  });

  test.each([[" ".repeat(8)], ["\u3000".repeat(8)], ["\u200b".repeat(8)]])(
    "refuses %j, in which nothing is to be seen",
    (password) => {
      expect(weigh(password)).toEqual({ ok: false, reason: "must not be blank" });
    },
  );

  test.each([["correct horse battery"], ["adalove18150"], ["😀".repeat(8)], ["password of Ada"]])(
    "takes %j",
    (password) => {
      expect(weigh(password)).toEqual({ ok: true });
    },
  );

  test("knows no name that a person does not have", () => {
    const nobody = { ...known, nickName: "", displayName: "", email: "" };
    expect(weighPassword("correct horse", nobody, isCommon)).toEqual({ ok: true });
  });
});
