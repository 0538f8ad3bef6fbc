import {
  ascii,
  beginsWith,
  bigEndian,
  byteAt,
  cutOff,
  damaged,
  ImageRefused,
  joined,
} from "./bytes.ts";
import type { Cleaned } from "./cleaned.ts";
import {
  blocksIn,
  checkHuffman,
  checkQuantization,
  type Frame,
  readFrame,
  readScan,
} from "./jpeg-frame.ts";
import { imageLimits } from "./limits.ts";

/**
 * Leaves the frame, tables and scans of a JPEG (T.81), and the bytes that say of what colours they
 * are. Throws ImageRefused where it is damaged, not whole, or of a kind that browsers do not show.
 */
export function cleanJpeg(bytes: Uint8Array): Cleaned {
  const segments = [...segmentsOf(bytes)];
  const [frame, ...others] = segments.filter(isFrame).map(({ data }) => readFrame(data));
  if (frame === undefined || others.length > 0) throw damaged("it has not one header");
  assertScans(segments, frame);
  const kept = segments.map(keptOf);
  const { width, height } = frame;
  return { width, height, bytes: joined([begin, ...kept, end]) };
}

/** The second bytes of markers; those of applications are a range. */
const markers = {
  huffman: 0xc4,
  end: 0xd9,
  scan: 0xda,
  quantization: 0xdb,
  interval: 0xdd,
  jfif: 0xe0,
  adobe: 0xee,
  applications: 0xef,
  comment: 0xfe,
} as const;

/** Those of the frames that browsers show: baseline, extended and progressive, in Huffman codes. */
const frames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

const begin = Uint8Array.of(0xff, 0xd8);
const end = Uint8Array.of(0xff, markers.end);

interface Segment {
  readonly marker: number;
  /** With its marker and length. */
  readonly whole: Uint8Array;
  /** What it says: of a scan, its header. */
  readonly data: Uint8Array;
  /** The bytes of pixels that follow; 0 but for a scan. */
  readonly pixelBytes: number;
}

const isFrame = ({ marker }: Segment) => frames.has(marker);

/** The segments up to the end of the image. */
function* segmentsOf(bytes: Uint8Array): Generator<Segment> {
  for (let at = begin.length; ; ) {
    if (byteAt(bytes, at) !== 0xff) throw damaged("something lies between its segments");
    // Any number of these may stand before a marker.
    while (byteAt(bytes, at + 1) === 0xff) at += 1;
    const marker = byteAt(bytes, at + 1);
    if (marker === markers.end) return;
    const size = bigEndian(Uint8Array.of(byteAt(bytes, at + 2), byteAt(bytes, at + 3)));
    const behind = at + 2 + size;
    if (size < 2) throw damaged("a segment is shorter than its length");
    if (behind > bytes.length) throw cutOff();
    const next = marker === markers.scan ? endOfScan(bytes, behind) : behind;
    const whole = bytes.subarray(at, next);
    yield { marker, whole, data: bytes.subarray(at + 4, behind), pixelBytes: next - behind };
    at = next;
  }
}

/** Where the pixels of a scan end: at the first marker that is not one of those within. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 2)) {
    const next = byteAt(bytes, at + 1);
    const isWithin = next === 0 || (next >= 0xd0 && next <= 0xd7);
    if (!isWithin) return at;
  }
  throw cutOff();
}

/** Throws where scans are none, too many, too short, or before what they are read by. */
function assertScans(segments: readonly Segment[], frame: Frame): void {
  const first = segments.findIndex(({ marker }) => marker === markers.scan);
  const before = segments.slice(0, Math.max(first, 0));
  const isReadable =
    before.some(isFrame) &&
    before.some(({ marker }) => marker === markers.huffman) &&
    before.some(({ marker }) => marker === markers.quantization);
  if (!isReadable) throw damaged("its pixels are missing, or what they are read by");
  const scans = segments.filter(({ marker }) => marker === markers.scan);
  for (const { data } of scans) readScan(data, frame);
  const most = imageLimits.scans;
  if (scans.length > most) {
    throw new ImageRefused(`The image has ${scans.length} scans; at most ${most} are allowed`);
  }
  const pixelBytes = scans.reduce((sum, scan) => sum + scan.pixelBytes, 0);
  // A block has at least one bit.
  if (blocksIn(frame) > pixelBytes * 8) {
    throw damaged("it has fewer pixels than its header says");
  }
}

/** The bytes that are kept of a segment; none of one that is not needed. */
function keptOf({ marker, whole, data }: Segment): Uint8Array {
  switch (marker) {
    case markers.jfif:
      return isPlain(data, jfif) ? jfif : nothing;
    case markers.adobe:
      return isPlain(data, adobe)
        ? joined([adobe.subarray(0, -1), data.subarray(11, 12)])
        : nothing;
    case markers.huffman:
      checkHuffman(data);
      return whole;
    case markers.quantization:
      checkQuantization(data);
      return whole;
    case markers.interval:
      if (data.length !== 2) throw damaged("its restart interval is invalid");
      return whole;
    case markers.scan:
      return whole;
    case markers.comment:
      return nothing;
  }
  if (frames.has(marker)) return whole;
  if (marker >= markers.jfif && marker <= markers.applications) return nothing;
  throw new ImageRefused("The image is a kind of JPEG that browsers do not show");
}

const nothing = new Uint8Array();

// What says by which colours pixels are meant, without all else that may stand there: the density
// and the preview of the one, the version and hints of the other, whose last byte is kept.
const jfif = joined([
  Uint8Array.of(0xff, markers.jfif, 0, 16),
  ascii("JFIF\0"),
  Uint8Array.of(1, 1, 0, 0, 1, 0, 1, 0, 0),
]);
const adobe = joined([
  Uint8Array.of(0xff, markers.adobe, 0, 14),
  ascii("Adobe"),
  Uint8Array.of(0, 100, 0, 0, 0, 0, 0),
]);

/** Whether a segment is of the kind of one that is kept, and not shorter. */
function isPlain(data: Uint8Array, kept: Uint8Array): boolean {
  return beginsWith(data, kept.subarray(4, 9)) && data.length >= kept.length - 4;
}
