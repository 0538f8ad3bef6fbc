import { type ImageType, imageTypeOf } from "../domain/image/image.ts";
import { imageClaim, imagePath } from "../domain/policy/image.ts";
import type { Store } from "../store/store.ts";

/** An image as it is served. */
export interface ServedImage {
  readonly contentType: ImageType;
  readonly bytes: Uint8Array;
}

/**
 * The image with this name, its SHA-256 and the ending of its type; undefined where no label policy
 * has it.
 */
export async function findImage(
  { holders, attachment }: Pick<Store, "holders" | "attachment">,
  name: string,
): Promise<ServedImage | undefined> {
  const [sha256] = /^[\da-f]{64}(?=\.)/.exec(name) ?? [];
  if (sha256 === undefined) return undefined;
  const { total } = await holders({ kind: imageClaim, scope: sha256 }, 1);
  const bytes = total === 0 ? undefined : await attachment(sha256);
  const contentType = bytes && imageTypeOf(bytes);
  if (bytes === undefined || contentType === undefined) return undefined;
  const isNamedSo = imagePath({ sha256, type: contentType }) === `images/${name}`;
  return isNamedSo ? { contentType, bytes } : undefined;
}
