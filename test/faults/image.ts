import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes about images and the bytes that lie beside the log. */
export const imageFaults: readonly Fault[] = [
  [
    "text left in a PNG",
    at(
      "domain/image/png.ts",
      "chunks.filter(({ name }) => shown.has(name))",
      "chunks.filter(() => true)",
    ),
  ],
  [
    "a checksum of a PNG not looked at",
    at("domain/image/png.ts", "bigEndian(whole.subarray(-4)) !== crc32(named)", "crc32(named) < 0"),
  ],
  [
    "comments left in a JPEG",
    at(
      "domain/image/jpeg.ts",
      "    case markers.comment:\n      return nothing;",
      "    case markers.comment:\n      return whole;",
    ),
  ],
  [
    "metadata left in a WebP",
    at("domain/image/webp.ts", "bytes: fileOf(kept) }", "bytes: fileOf(chunks) }"),
  ],
  [
    "one pixel more",
    at(
      "domain/image/image.ts",
      "width <= most && height <= most",
      "width <= most + 1 && height <= most + 1",
    ),
  ],
  [
    "an image of the instance set by any organization",
    at(
      "api/policy/asset.ts",
      'if (request.instance) needInInstance(context, "iam.policy.write");\n      const',
      "const",
    ),
  ],
  [
    "one upload more",
    at("api/count.ts", "(uses[i] ?? 0) > usesMax", "(uses[i] ?? 0) > usesMax + 1"),
  ],
  [
    "images served that no policy has",
    at("execute/images.ts", "total === 0 ? undefined : await", "total < 0 ? undefined : await"),
  ],
  [
    "other bytes served",
    at(
      "store/sqlite/attachments.ts",
      "bytes !== undefined && attachmentDigest(bytes) !== digest",
      "bytes === null",
    ),
  ],
  [
    "bytes that no event names not found",
    at(
      "store/verify/attachments.ts",
      "if (!named.has(digest)) report",
      "if (named.size < 0) report",
    ),
  ],
  [
    "bytes left behind by a copy",
    at("store/sqlite/fill-file.ts", "attachments.add(events.flatMap", "void (events.flatMap"),
  ],
];
