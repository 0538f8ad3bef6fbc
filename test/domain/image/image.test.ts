import { describe, expect, test } from "@jest/globals";
import { readImage } from "../../../src/domain/image/image.ts";
import { runs } from "../../harness/extent.ts";
import { fc } from "../../harness/laws.ts";
import { imageOf, images } from "./images.ts";
import {
  jpegData,
  jpegInstead,
  jpegSegment,
  jpegWith,
  png,
  pngChunk,
  pngHeader,
  pngNames,
  pngPixels,
  webp,
  webpChunk,
  webpData,
  webpHeader,
} from "./parts.ts";

const names = Object.keys(images) as (keyof typeof images)[];

function cleaned(bytes: Uint8Array): Buffer {
  const reading = readImage(bytes);
  if (reading.kind === "refused") throw new Error(reading.problem);
  return Buffer.from(reading.image.bytes);
}

const script = Buffer.from("<script>alert(1)</script>");

describe("images that are something else: what is taken", () => {
  test.each(names)("%s", (name) => {
    const reading = readImage(imageOf(name));
    const type = /png|jpeg|webp/i.exec(name)?.[0].toLowerCase();
    expect(reading).toMatchObject({ kind: "image", image: { type: `image/${type}` } });
  });

  test.each(names)("%s comes to itself again", (name) => {
    const once = cleaned(imageOf(name));
    expect(cleaned(once)).toEqual(once);
  });

  test("of a PNG what is needed to show it, and each chunk as it was", () => {
    expect(pngNames(imageOf("png"))).toContain("tEXt");
    expect(pngNames(cleaned(imageOf("png")))).toEqual(["IHDR", "IDAT", "IEND"]);
    const transparent = cleaned(imageOf("transparentPng"));
    expect(pngNames(transparent)).toEqual(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);
    const plain = png(pngHeader(), pngPixels());
    const chunks = ["tEXt", "zTXt", "iTXt", "eXIf", "iCCP", "tIME", "pHYs", "vpAg", "fdAT"];
    const added = chunks.map((name) => pngChunk(name, script));
    expect(cleaned(png(pngHeader(), ...added, pngPixels()))).toEqual(plain);
    expect(cleaned(png(pngHeader(), pngPixels(), ...added))).toEqual(plain);
    expect(cleaned(Buffer.concat([plain, Buffer.from("PK\x03\x04"), script]))).toEqual(plain);
  });

  test("of a JPEG the same: no metadata, no thumbnail, no comment, nothing behind its end", () => {
    const plain = cleaned(imageOf("jpeg"));
    const exif = jpegSegment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), script]));
    const added = [exif, jpegSegment(0xe2, script), jpegSegment(0xef, script)];
    const comment = jpegSegment(0xfe, script);
    expect(cleaned(jpegWith(imageOf("jpeg"), ...added, comment))).toEqual(plain);
    expect(cleaned(Buffer.concat([imageOf("jpeg"), script]))).toEqual(plain);
    const thumbnail = [...Buffer.from("JFIF\0"), 1, 2, 1, 9, 9, 9, 9, 1, 1, 1, 2, 3];
    expect(cleaned(jpegInstead(plain, 0xe0, jpegSegment(0xe0, thumbnail)))).toEqual(plain);
    const other = jpegSegment(0xe0, Buffer.from("JFXX\0\x13 a thumbnail"));
    expect(cleaned(jpegWith(plain, other))).toEqual(plain);
    // Any number of these bytes may stand before a marker.
    expect(cleaned(jpegWith(plain, Buffer.of(0xff, 0xff)))).toEqual(plain);
  });

  test("of the Adobe segment of a JPEG the byte that says of what colours it is", () => {
    const plain = cleaned(imageOf("cmykJpeg"));
    expect([...jpegData(plain, 0xee)]).toEqual([...Buffer.from("Adobe"), 0, 100, 0, 0, 0, 0, 2]);
    const long = [...Buffer.from("Adobe"), 1, 2, 3, 4, 5, 6, 1, ...script];
    const turned = cleaned(jpegInstead(plain, 0xee, jpegSegment(0xee, long)));
    expect([...jpegData(turned, 0xee)]).toEqual([...Buffer.from("Adobe"), 0, 100, 0, 0, 0, 0, 1]);
  });

  test("of a WebP the same", () => {
    const pixels = webpChunk("VP8 ", webpData(imageOf("webp"), "VP8 "));
    const added = ["ICCP", "EXIF", "XMP ", "abcd"].map((name) => webpChunk(name, script));
    expect(cleaned(webp(webpHeader(0x2c), ...added, pixels))).toEqual(webp(pixels));
    expect(cleaned(webp(pixels, ...added))).toEqual(webp(pixels));
    expect(cleaned(Buffer.concat([imageOf("webp"), script]))).toEqual(cleaned(imageOf("webp")));
  });

  test("the transparency of a WebP, where its header says that it has one", () => {
    const whole = imageOf("alphaWebp");
    const alpha = webpChunk("ALPH", webpData(whole, "ALPH"));
    const pixels = webpChunk("VP8 ", webpData(whole, "VP8 "));
    const added = webpChunk("XMP ", script);
    expect(cleaned(webp(webpHeader(0x3c), alpha, pixels, added))).toEqual(
      webp(webpHeader(0x10), alpha, pixels),
    );
    expect(cleaned(webp(webpHeader(0), alpha, pixels))).toEqual(webp(pixels));
  });
});

describe("whatever is uploaded", () => {
  /** Images in which some bytes are others, some are missing and some are added. */
  const changed = fc
    .record({
      name: fc.constantFrom(...names),
      changes: fc.array(
        fc.record({
          at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
          removed: fc.constantFrom(0, 0, 1, 1, 2, 16),
          added: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.constant(Uint8Array.of(0xff))),
        }),
        { maxLength: 4 },
      ),
    })
    .map(({ name, changes }) => {
      let bytes = imageOf(name);
      for (const { at, removed, added } of changes) {
        const from = Math.floor(at * bytes.length);
        bytes = Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + removed)]);
      }
      return bytes;
    });

  test("it is refused in a sentence, or left as no more, and as it would be again", () => {
    fc.assert(
      fc.property(changed, (bytes) => {
        const reading = readImage(bytes);
        if (reading.kind === "refused") {
          expect(reading.problem).toMatch(/^The (?:file|image) .*\.$/);
          return;
        }
        const { image } = reading;
        expect(image.bytes.length).toBeLessThanOrEqual(bytes.length);
        expect(readImage(image.bytes)).toEqual({ kind: "image", image });
      }),
      { numRuns: runs(20_000) },
    );
  });
});
