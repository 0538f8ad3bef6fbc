import type { PrivacyPolicy } from "../../domain/policy/privacy.ts";
import { imageFor, themesOf } from "../../domain/policy/theme.ts";
import { findPolicies, type Policies } from "../../execute/policies.ts";
import { Forged } from "../../store/chain/forged.ts";
import { readerOf } from "../../store/objects.ts";
import type { Store } from "../../store/store.ts";

/** What mails show of the organization of the person. */
export interface MailBrand {
  readonly label: Policies["label"];
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

/**
 * Finds what the mails of an organization show of it, or of the instance. A mail whose logo was
 * forged is sent without it: people wait for what it says.
 */
export async function findMailBrand(
  store: Pick<Store, "load" | "attachment">,
  organization: string,
): Promise<MailBrand> {
  const { label, privacy } = await findPolicies(readerOf(store), organization);
  const [first] = themesOf(label);
  const image = imageFor(label, "logo", first);
  const bytes = image && (await store.attachment(image.sha256).catch(nothingOfForged));
  if (image === undefined || bytes === undefined) return { label, privacy };
  return { label, privacy, logo: { id: `${image.sha256}@logo`, type: image.type, bytes } };
}

function nothingOfForged(error: unknown): undefined {
  if (!(error instanceof Forged)) throw error;
}
