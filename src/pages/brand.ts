import type { LabelPolicy } from "../domain/policy/label.ts";
import type { PrivacyPolicy } from "../domain/policy/privacy.ts";

/** What pages show of an organization, or of the instance where an organization has nothing. */
export interface Brand {
  /** Whose colours and images they are: the id of an organization, or `instanceBrand`. */
  readonly owner: string;
  /** The name of that organization; empty for the instance. */
  readonly name: string;
  readonly label: LabelPolicy;
  readonly privacy: PrivacyPolicy;
  /** The organization that one of both is of; undefined where both are the default. */
  readonly organization: string | undefined;
}

/** The owner of what the instance shows: no organization has such an id. */
export const instanceBrand = "instance";

/** Whose brand a page shows: what belongs to an organization, or to a person. */
export type Whose = { readonly organization: string } | { readonly userId: string };

/**
 * Finds the brand of an organization or a person; without one, that of the instance. It finds none
 * where the log cannot be read.
 */
export type FindBrand = (whose?: Whose) => Promise<Brand | undefined>;
