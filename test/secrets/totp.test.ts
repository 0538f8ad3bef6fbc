import { describe, expect, test } from "@jest/globals";
import {
  appNameLimits,
  createTotpSecret,
  otpauthURI,
  readTotpSecret,
  totpStep,
} from "../../src/secrets/totp.ts";
import { anyCharacter } from "../harness/characters.ts";
import { runs } from "../harness/extent.ts";
import { fc } from "../harness/laws.ts";

const secret = "JBSWY3DPEHPK3PXP";

describe("the secret of an authenticator app", () => {
  test.each([
    ["as it is", secret, secret],
    ["in lower case", "jbswy3dpehpk3pxp", secret],
    ["in groups", "jbsw y3dp ehpk 3pxp", secret],
    ["in groups with hyphens", "JBSW-Y3DP-EHPK-3PXP", secret],
    ["the one of RFC 6238", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"],
    ["16 bytes without padding", "GEZDGNBVGY3TQOJQGEZDGNBVGY", "GEZDGNBVGY3TQOJQGEZDGNBVGY"],
    ["16 bytes with padding", "GEZDGNBVGY3TQOJQGEZDGNBVGY======", "GEZDGNBVGY3TQOJQGEZDGNBVGY"],
    ["with bits to spare", `${"A".repeat(17)}B`, `${"A".repeat(17)}B`],
    ["16 characters, the least", "A".repeat(16), "A".repeat(16)],
    ["128 characters, the most", "7".repeat(128), "7".repeat(128)],
    ["128 characters, each alone", Array(128).fill("A").join(" "), "A".repeat(128)],
  ])("is accepted %s", (_, text, expected) => {
    expect(readTotpSecret(text)).toEqual({ ok: true, secret: expected });
  });

  test.each([
    ["nothing", ""],
    ["15 characters", "A".repeat(15)],
    ["14 characters and padding", `${"A".repeat(13)}===`],
    ["129 characters", "A".repeat(129)],
    ["130 characters", "A".repeat(130)],
    ["17 characters, which are no whole bytes", "A".repeat(17)],
    ["19 characters", "A".repeat(19)],
    ["22 characters", "A".repeat(22)],
    ["too little padding", `${"A".repeat(18)}=====`],
    ["too much padding", `${"A".repeat(18)}=======`],
    ["padding that nothing needs", `${secret}========`],
    ["padding in between", `JBSWY3DP=EHPK3PXP`],
    ["a 1", "JBSWY3DPEHPK3PX1"],
    ["a 0", "JBSWY3DPEHPK3PX0"],
    ["an 8", "JBSWY3DPEHPK3PX8"],
    ["hexadecimal", "3132333435363738393031323334353637383930"],
    ["a URI", `otpauth://totp/iam?secret=${secret}`],
    ["a line break", `${secret}\n`],
    ["a tab", `JBSWY3DP\tEHPK3PXP`],
    ["a letter that is ASCII in upper case only", "jbswy3dpehpk3px\u0131"],
    ["a long s", "jb\u017fwy3dpehpk3pxp"],
    ["full-width letters", "ＪＢＳＷＹ３ＤＰＥＨＰＫ３ＰＸＰ"],
    ["nothing but separators", " ".repeat(264)],
    ["more separators than anyone needs", `${secret}${" ".repeat(249)}`],
  ])("is refused and not repeated: %s", (_, text) => {
    const result = readTotpSecret(text);
    expect(result).toEqual({ ok: false, reason: expect.stringMatching(/base32.*16 to 128/) });
    expect(JSON.stringify(result)).not.toContain(text.slice(0, 12) || "nothing");
  });

  test("never throws, and what it accepts it accepts again unchanged", () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.stringMatching(/^[A-Za-z2-7 =-]{14,140}$/),
    );
    fc.assert(
      fc.property(text, (given) => {
        const result = readTotpSecret(given);
        const again = result.ok ? readTotpSecret(result.secret) : result;
        expect(again).toEqual(result);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe("a new secret", () => {
  test("is 160 random bits, of which an imported one may be, too", () => {
    const made = createTotpSecret((size) => Buffer.from("12345678901234567890".slice(0, size)));
    // RFC 6238, appendix B, has codes of this one.
    expect(made).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    expect(readTotpSecret(made)).toEqual({ ok: true, secret: made });
    expect(totpStep(made, "287082", 59_000)).toBe(1);
  });

  test("is handed over as apps read it", () => {
    const uri = otpauthURI({ issuer: "Acme: Söhne & Co", account: "ada@example.com", secret });
    expect(uri).toBe(
      "otpauth://totp/Acme%20%20S%C3%B6hne%20%26%20Co:ada%40example.com" +
        `?secret=${secret}&issuer=Acme%20%20S%C3%B6hne%20%26%20Co`,
    );
    const { searchParams } = new URL(uri);
    expect(Object.fromEntries(searchParams)).toEqual({ secret, issuer: "Acme  Söhne & Co" });
  });

  test("is handed over with as much of names as a camera can read", () => {
    const { issuer, account } = appNameLimits;
    const uriOf = (more: number) => {
      const [by, whose] = ["😀".repeat(issuer + more), "a".repeat(account + more)];
      return otpauthURI({ issuer: by, account: whose, secret });
    };
    expect(decodeURIComponent(uriOf(0))).toContain(
      `/${"😀".repeat(issuer)}:${"a".repeat(account)}?`,
    );
    expect(uriOf(1)).toBe(uriOf(0));
  });
});
