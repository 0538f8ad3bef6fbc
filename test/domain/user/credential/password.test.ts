import { describe, expect, test } from "@jest/globals";
import {
  ownPasswordProblem,
  passwordProblem,
} from "../../../../src/domain/user/credential/password.ts";
import { readPopular } from "../../../../src/secrets/passwords/popular.ts";

const isCommon = await readPopular();

const known = {
  ...{ userName: "adalove1815", firstName: "Augusta Ada", lastName: "King-Noel" },
  ...{ nickName: "Enchantress", displayName: "Countess of Lovelace" },
  email: "ada.lovelace@example.com",
};
const weigh = (password: string) =>
  passwordProblem(password, isCommon) ?? ownPasswordProblem(password, known);

describe("the rules of passwords", () => {
  test.each([
    ["password"],
    ["PassWord"],
    ["ｐａｓｓｗｏｒｄ"],
    ["pass\u200bword"],
    ["12345678"],
    ["qwertyuiop"],
  ])("refuses %j, which many people have", (password) => {
    expect(passwordProblem(password, isCommon)).toMatch("common");
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
    ["adalovelace"],
    ["augusta-ada"],
    ["king noel"],
    ["KingNoel, Augusta Ada!"],
  ])("refuses %j, which is the person's own", (password) => {
    expect(ownPasswordProblem(password, known)).toMatch("the name");
  });

  test.each([[" ".repeat(8)], ["\u3000".repeat(8)], ["\u200b".repeat(8)]])(
    "refuses %j, in which nothing is to be seen",
    (password) => {
      expect(weigh(password)).toBe("must not be blank");
      expect(ownPasswordProblem(password, { ...known, nickName: "" })).toBeUndefined();
    },
  );

  test.each([["correct horse battery"], ["adalove18150"], ["😀".repeat(8)], ["password of Ada"]])(
    "takes %j",
    (password) => {
      expect(weigh(password)).toBeUndefined();
    },
  );

  test("refuses a name of punctuation", () => {
    const nickName = "-".repeat(8);
    expect(ownPasswordProblem(nickName, { ...known, nickName })).toMatch("the name");
    expect(ownPasswordProblem("!".repeat(8), { ...known, nickName })).toBeUndefined();
  });

  test("compares as much as a person may have, and no more", () => {
    const most = "😀".repeat(512);
    const called = (nickName: string) => ownPasswordProblem(nickName, { ...known, nickName });
    expect(called(most)).toMatch("the name");
    expect(called(`${most}a`)).toBeUndefined();
    const endless = { ...known, firstName: "ﷺ".repeat(300_000) };
    expect(ownPasswordProblem("enchantress", endless)).toMatch("the name");
  });

  test("knows no name that a person does not have", () => {
    const nobody = { ...known, nickName: "", displayName: "", email: "" };
    expect(ownPasswordProblem("correct horse", nobody)).toBeUndefined();
  });
});
