import { describe, expect, test } from "@jest/globals";
import { readImage } from "../../../src/domain/image/image.ts";
import { imageLimits } from "../../../src/domain/image/limits.ts";
import { imageOf } from "./images.ts";
import {
  jpegData,
  jpegInstead,
  jpegSegment,
  jpegWith,
  png,
  pngChunk,
  pngHeader,
  pngPixels,
  webp,
  webpChunk,
  webpData,
  webpHeader,
} from "./parts.ts";

function problemOf(bytes: Uint8Array): string {
  const reading = readImage(bytes);
  return reading.kind === "refused" ? reading.problem : `${reading.image.type} was taken`;
}

const script = Buffer.from("<script>alert(1)</script>");

describe("images that are something else: what is refused", () => {
  const noImage = "The file is not a PNG, JPEG or WebP image.";
  test.each([
    ["nothing", Buffer.alloc(0)],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["HTML", script],
    ["a GIF", Buffer.from("GIF89a\x01\0\x01\0")],
    ["a PDF", Buffer.from("%PDF-1.7")],
    ["a sound in the container of WebP", Buffer.from("RIFF\x24\0\0\0WAVEfmt ")],
    ["the beginning of a PNG", Buffer.from("\x89PNG", "latin1")],
  ])("%s", (_, bytes) => expect(problemOf(bytes)).toBe(noImage));

  const sides = (size: string) =>
    `The image has ${size} pixels; at most 2000 are allowed on each side.`;
  const most = imageLimits.sidePixels;
  const wide = (width: number, height: number) =>
    png(pngHeader({ width, height, kind: [1, 0, 0, 0, 0] }), pngPixels(width * height));

  test("a side of more pixels than the limit", () => {
    expect(problemOf(wide(most, 1))).toBe("image/png was taken");
    expect(problemOf(wide(1, most))).toBe("image/png was taken");
    expect(problemOf(wide(most + 1, 1))).toBe(sides("2001 × 1"));
    expect(problemOf(wide(1, most + 1))).toBe(sides("1 × 2001"));
  });

  const jpeg = imageOf("jpeg");
  const frame = (change: (data: Buffer) => void) => {
    const data = jpegData(jpeg, 0xc0);
    change(data);
    return jpegInstead(jpeg, 0xc0, jpegSegment(0xc0, data));
  };
  const webpPixels = (change: (data: Buffer) => void) => {
    const data = webpData(imageOf("webp"), "VP8 ");
    change(data);
    return webp(webpChunk("VP8 ", data));
  };

  test("a header that says more pixels than follow", () => {
    const few = "The image is damaged: it has fewer pixels than its header says.";
    const [width, height] = [100_000, 100_000];
    expect(problemOf(png(pngHeader({ width, height }), pngPixels()))).toBe(few);
    expect(problemOf(frame((data) => data.writeUInt32BE(0xffffffff, 1)))).toBe(few);
    const other = webpData(imageOf("alphaWebp"), "VP8 ");
    expect(problemOf(webp(webpHeader(0, 13), webpChunk("VP8 ", other)))).toBe(
      "The image is damaged: its header says another size.",
    );
  });

  test("no pixels", () => {
    const none = "The image has no pixels.";
    expect(problemOf(png(pngHeader({ width: 0 }), pngPixels()))).toBe(none);
    expect(problemOf(frame((data) => data.writeUInt16BE(0, 1)))).toBe(none);
    expect(problemOf(webpPixels((data) => data.writeUInt16LE(0, 6)))).toBe(none);
  });

  test("one that moves", () => {
    const moves = "The image is animated: upload one that does not move.";
    expect(problemOf(png(pngHeader(), pngChunk("acTL", [0]), pngPixels()))).toBe(moves);
    const pixels = webpChunk("VP8 ", webpData(imageOf("webp"), "VP8 "));
    expect(problemOf(webp(webpHeader(0x02), pixels))).toBe(moves);
    expect(problemOf(webp(webpHeader(0), webpChunk("ANIM", [0, 0]), pixels))).toBe(moves);
    expect(problemOf(webp(webpHeader(0), webpChunk("ANMF", [0, 0])))).toBe(moves);
  });

  test("a JPEG of more scans than the limit", () => {
    const scan = jpeg.subarray(jpeg.indexOf(Buffer.of(0xff, 0xda)), -2);
    const of = (scans: number) =>
      Buffer.concat([jpeg.subarray(0, -2), ...Array(scans - 1).fill(scan), jpeg.subarray(-2)]);
    expect(problemOf(of(imageLimits.scans))).toBe("image/jpeg was taken");
    expect(problemOf(of(imageLimits.scans + 1))).toBe(
      "The image has 101 scans; at most 100 are allowed.",
    );
  });

  const pixels = webpData(imageOf("webp"), "VP8 ");
  const alpha = webpChunk("ALPH", webpData(imageOf("alphaWebp"), "ALPH"));
  test.each([
    ["a checksum", png(pngHeader(), pngPixels()).fill(0, 30, 31), "the checksum of a chunk"],
    ["a checksum left out", png(pngHeader(), pngChunk("tEXt").fill(0, 8)), "the checksum of"],
    ["no header", png(pngPixels()), "its chunks are not complete"],
    ["two headers", png(pngHeader(), pngHeader(), pngPixels()), "its chunks are not complete"],
    ["no pixels at all", png(pngHeader()), "its chunks are not complete"],
    ["a late palette", png(pngHeader(), pngPixels(), pngChunk("PLTE", [1, 2, 3])), "its chunks"],
    ["an unknown chunk", png(pngHeader(), pngChunk("ABCD"), pngPixels()), "it has a chunk that no"],
    ["a chunk of no letters", png(pngHeader(), pngChunk("\0<\0>"), pngPixels()), "it has a chunk"],
    ["a depth", png(pngHeader({ kind: [3, 2, 0, 0, 0] }), pngPixels()), "its header is"],
    ["a colour", png(pngHeader({ kind: [8, 5, 0, 0, 0] }), pngPixels()), "its header is"],
    ["a compression", png(pngHeader({ kind: [8, 2, 1, 0, 0] }), pngPixels()), "its header is"],
    ["a filter", png(pngHeader({ kind: [8, 2, 0, 1, 0] }), pngPixels()), "its header is"],
    ["an interlacing", png(pngHeader({ kind: [8, 2, 0, 0, 2] }), pngPixels()), "its header is"],
    ["a long header", png(pngHeader({ kind: [8, 2, 0, 0, 0, 0] }), pngPixels()), "its header is"],
    ["no palette", png(pngHeader({ kind: [8, 3, 0, 0, 0] }), pngPixels()), "its palette is"],
    ["half a colour", png(pngHeader(), pngChunk("PLTE", [1, 2]), pngPixels()), "its palette is"],
    ["an empty palette", png(pngHeader(), pngChunk("PLTE"), pngPixels()), "its palette is"],
    [
      "a palette of shades",
      png(pngHeader({ kind: [8, 0, 0, 0, 0] }), pngChunk("PLTE", [1, 2, 3]), pngPixels()),
      "its palette is",
    ],
    [
      "a long palette",
      png(pngHeader({ kind: [1, 3, 0, 0, 0] }), pngChunk("PLTE", Buffer.alloc(9)), pngPixels()),
      "its palette is",
    ],
    ["a transparency", png(pngHeader(), pngChunk("tRNS", [1]), pngPixels()), "its transparency"],
    ["pixels of no zlib", png(pngHeader(), pngChunk("IDAT", [1, 2])), "it has no pixels"],
    [
      "a full last chunk",
      Buffer.concat([png(pngHeader(), pngPixels()).subarray(0, -12), pngChunk("IEND", [1])]),
      "its last chunk is not empty",
    ],
    ["a PNG cut off", png(pngHeader(), pngPixels()).subarray(0, -1), "its end is missing"],
    ["a JPEG cut off", jpeg.subarray(0, -1), "its end is missing"],
    ["a JPEG cut off in its pixels", jpeg.subarray(0, -2), "its end is missing"],
    ["a JPEG of its first bytes", jpeg.subarray(0, 3), "its end is missing"],
    [
      "a JPEG of no segment",
      jpegWith(jpeg, jpegSegment(0xfe, []), Buffer.of(0)),
      "something lies between its segments",
    ],
    ["a segment of no length", jpegWith(jpeg, Buffer.of(0xff, 0xfe, 0, 1)), "a segment is shorter"],
    [
      "two headers in a JPEG",
      jpegWith(jpeg, jpegSegment(0xc0, jpegData(jpeg, 0xc0))),
      "it has not",
    ],
    ["no header in a JPEG", jpegInstead(jpeg, 0xc0, Buffer.alloc(0)), "it has not one header"],
    ["12 bits in a JPEG", frame((data) => data.writeUInt8(12, 0)), "its header is invalid"],
    ["no component", frame((data) => data.writeUInt8(0, 5)), "its header is invalid"],
    ["a sampling of nothing", frame((data) => data.writeUInt8(0x01, 7)), "its header is invalid"],
    ["a table that none is", frame((data) => data.writeUInt8(4, 8)), "its header is invalid"],
    ["a component twice", frame((data) => data.writeUInt8(2, 6)), "its header is invalid"],
    [
      "a scan of another component",
      jpegInstead(jpeg, 0xda, jpegSegment(0xda, [1, 9, 0, 0, 63, 0])),
      "the header of a scan is invalid",
    ],
    ["a restart interval", jpegWith(jpeg, jpegSegment(0xdd, [0])), "its restart interval is"],
    ["a table of quanta", jpegWith(jpeg, jpegSegment(0xdb, [4, ...Buffer.alloc(64)])), "a table"],
    ["a table of codes", jpegWith(jpeg, jpegSegment(0xc4, Buffer.alloc(17, 0x20))), "a table"],
    ["text in a table", jpegWith(jpeg, jpegSegment(0xdb, script)), "a table is invalid"],
    ["half a table", jpegWith(jpeg, jpegSegment(0xdb, [0, 1])), "its end is missing"],
    ["a WebP cut off", imageOf("webp").subarray(0, -1), "its end is missing"],
    ["a WebP without pixels", webp(webpChunk("EXIF", script)), "it has no pixels"],
    ["two images", webp(webpChunk("VP8 ", pixels), webpChunk("VP8 ", pixels)), "it has no pixels"],
    [
      "late pixels",
      webp(webpChunk("abcd", []), webpChunk("VP8 ", pixels)),
      "its pixels are not at",
    ],
    ["no key frame", webpPixels((data) => data.writeUInt8(0x31, 0)), "its pixels are not whole"],
    ["no start code", webpPixels((data) => data.writeUInt8(0, 3)), "its pixels are not whole"],
    [
      "a long partition",
      webpPixels((data) => data.writeUInt8(0xff, 2)),
      "its pixels are not whole",
    ],
    ["no signature", webp(webpChunk("VP8L", Buffer.alloc(9))), "its pixels are not whole"],
    [
      "transparency behind the pixels",
      webp(webpHeader(0x10), webpChunk("VP8 ", pixels), alpha),
      "its transparency is invalid",
    ],
    [
      "transparency twice",
      webp(webpHeader(0x10), alpha, alpha, webpChunk("VP8 ", pixels)),
      "its transparency is invalid",
    ],
    [
      "something in a padding",
      webp(webpChunk("VP8 ", pixels), Buffer.from("abcd\x01\0\0\0\x01\x01")),
      "something lies between its chunks",
    ],
  ])("%s", (_, bytes, problem) => {
    expect(problemOf(bytes)).toContain(`The image is damaged: ${problem}`);
  });

  test.each([
    ["arithmetic codes", jpegInstead(jpeg, 0xc0, jpegSegment(0xc9, jpegData(jpeg, 0xc0)))],
    ["a height that follows the pixels", jpegWith(jpeg, jpegSegment(0xdc, [0, 9]))],
  ])("a JPEG with %s", (name, bytes) => {
    const kind = "The image is a kind of JPEG that browsers do not show.";
    const expected = name.startsWith("arithmetic")
      ? "The image is damaged: it has not one header."
      : kind;
    expect(problemOf(bytes)).toBe(expected);
  });
});
