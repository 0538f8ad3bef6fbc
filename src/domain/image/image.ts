import { ascii, beginsWith, ImageRefused } from "./bytes.ts";
import type { Cleaned } from "./cleaned.ts";
import { cleanJpeg } from "./jpeg.ts";
import { imageLimits } from "./limits.ts";
import { cleanPng, pngSignature } from "./png.ts";
import { cleanWebp } from "./webp.ts";

/** The formats of images that are taken, by their media types. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp"] as const;

/** One of them. */
export type ImageType = (typeof imageTypes)[number];

/** An image of which nothing is left but what is needed to show it. */
export interface CleanImage {
  readonly type: ImageType;
  readonly bytes: Uint8Array;
}

/** What becomes of bytes that somebody uploads. */
export type ImageReading =
  | { readonly kind: "image"; readonly image: CleanImage }
  /** The problem is a sentence for people. */
  | { readonly kind: "refused"; readonly problem: string };

/**
 * Reads an image by its first bytes and takes away all that is not needed to show it: metadata,
 * thumbnails, colour profiles, comments, unknown parts and what follows its end. It looks at the
 * container alone and decodes no pixel. The result is never longer, and comes to itself again.
 */
export function readImage(bytes: Uint8Array): ImageReading {
  try {
    const format = formatOf(bytes);
    if (format === undefined) throw new ImageRefused("The file is not a PNG, JPEG or WebP image");
    const { type, clean } = format;
    const { width, height, bytes: left } = clean(bytes);
    assertSize(width, height);
    return { kind: "image", image: { type, bytes: left } };
  } catch (error) {
    if (error instanceof ImageRefused) return { kind: "refused", problem: `${error.message}.` };
    throw error;
  }
}

/** The type of an image by its first bytes; undefined where it is none that is taken. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  return formatOf(bytes)?.type;
}

interface Format {
  readonly type: ImageType;
  readonly clean: (bytes: Uint8Array) => Cleaned;
}

function formatOf(bytes: Uint8Array): Format | undefined {
  if (beginsWith(bytes, pngSignature)) return { type: "image/png", clean: cleanPng };
  if (beginsWith(bytes, Uint8Array.of(0xff, 0xd8, 0xff))) {
    return { type: "image/jpeg", clean: cleanJpeg };
  }
  if (beginsWith(bytes, ascii("RIFF")) && beginsWith(bytes.subarray(8), ascii("WEBP"))) {
    return { type: "image/webp", clean: cleanWebp };
  }
  return undefined;
}

function assertSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new ImageRefused("The image has no pixels");
  const most = imageLimits.sidePixels;
  if (width <= most && height <= most) return;
  throw new ImageRefused(
    `The image has ${width} × ${height} pixels; at most ${most} are allowed on each side`,
  );
}
