import { describe, expect, test } from "@jest/globals";
import decodeQR from "qr/decode.js";
import { qrSVG } from "../../src/pages/html/qr.ts";
import { otpauthURI } from "../../src/secrets/totp.ts";
import { htmlText } from "../../src/text/html.ts";

/** What a reader makes of the picture: each module as a square of so many points. */
function read(svg: string, scale = 4): string {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const width = size * scale;
  const data = new Uint8Array(width * width).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row += 1) {
      const from = (Number(y) * scale + row) * width + Number(x) * scale;
      data.fill(0, from, from + scale);
    }
  }
  const rgba = Uint8Array.from([...data].flatMap((grey) => [grey, grey, grey, 255]));
  return decodeQR({ width, height: width, data: rgba });
}

describe("a QR code", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

  test.each([
    ["short names", "Acme", "ada"],
    ["the longest names", "😀".repeat(200), "😀".repeat(200)],
  ])("of %s says what it was made of", (_what, issuer, account) => {
    const uri = otpauthURI({ issuer, account, secret });
    expect(read(htmlText(qrSVG(uri, "label")))).toBe(uri);
  });

  test("is a picture with a label, of which no part is a style or a script", () => {
    const svg = htmlText(qrSVG("text", `<label> "of" it`));
    expect(svg).toContain(`role="img" aria-label="&lt;label&gt; &quot;of&quot; it"`);
    expect(svg).not.toMatch(/style|script|on\w+=|href/);
  });
});
