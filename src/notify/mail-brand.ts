import type { LabelPolicy } from "../domain/policy/label.ts";
import type { PrivacyPolicy } from "../domain/policy/privacy.ts";
import { imageFor, themesOf } from "../domain/policy/theme.ts";
import { findPolicies } from "../execute/policies.ts";
import type { Store } from "../store/store.ts";

/** What mails show of the organization of the person. */
export interface MailBrand {
  readonly label: LabelPolicy;
  readonly privacy: PrivacyPolicy;
  /** Left out where it has none. */
  readonly logo?: Picture;
}

/** An image that goes along with a mail, whose HTML shows it by its id. */
export interface Picture {
  readonly id: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Reads the bytes of an image by their SHA-256; undefined where they are not kept any more. */
export type ReadImage = (sha256: string) => Promise<Uint8Array | undefined>;

/** Finds what the mails of an organization show of it, or of the instance. */
export async function findMailBrand(
  store: Pick<Store, "load">,
  readImage: ReadImage,
  organization: string,
): Promise<MailBrand> {
  const { label, privacy } = await findPolicies(store, organization);
  const [first] = themesOf(label);
  const image = imageFor(label, "logo", first);
  const bytes = image && (await readImage(image.sha256));
  if (image === undefined || bytes === undefined) return { label, privacy };
  return { label, privacy, logo: { id: `${image.sha256}@logo`, type: image.type, bytes } };
}
