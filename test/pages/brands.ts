import type { Image } from "../../src/domain/policy/image.ts";
import { type LabelPolicy, label } from "../../src/domain/policy/label.ts";
import { policyId } from "../../src/domain/policy/policy.ts";
import { type PrivacyPolicy, privacy } from "../../src/domain/policy/privacy.ts";
import type { Brand } from "../../src/pages/brand.ts";
import type { TestServer } from "../harness/server.ts";

/** Brands of organizations, and what gives them to the organizations of a server. */

const image = (digit: string, type: Image["type"]): Image => ({ sha256: digit.repeat(64), type });

/** One of dark letters on a light ground, and the reverse in the dark. */
export const violet: LabelPolicy = {
  ...{ primaryColor: "#6d28d9", warnColor: "#9f1239" },
  ...{ backgroundColor: "#fffbeb", fontColor: "#3b0764" },
  ...{ primaryColorDark: "#c4b5fd", warnColorDark: "#fda4af" },
  ...{ backgroundColorDark: "#1e1033", fontColorDark: "#ede9fe" },
  ...{ themeMode: "AUTO" },
  images: {
    logo: { light: image("a", "image/png"), dark: image("b", "image/webp") },
    icon: { light: image("c", "image/jpeg") },
  },
};

/** Colours that are as hard to read as a policy may have them. */
export const faint: LabelPolicy = {
  ...label.defaults,
  ...{ primaryColor: "#767676", warnColor: "#767676" },
  ...{ backgroundColor: "#ffffff", fontColor: "#767676" },
  ...{ primaryColorDark: "#757575", warnColorDark: "#757575" },
  ...{ backgroundColorDark: "#000000", fontColorDark: "#757575" },
};

/** All that a privacy policy may have. */
export const links: PrivacyPolicy = {
  tosLink: "https://acme.example.com/terms?a=1&b=2",
  privacyLink: "https://acme.example.com/privacy",
  helpLink: "https://acme.example.com/help",
  docsLink: "https://acme.example.com/docs",
  customLink: "https://status.acme.example.com/",
  customLinkText: "Status",
  supportEmail: "help@acme.example.com",
};

/** The brand of an organization by its policies. */
export function brandOf(given: LabelPolicy, about: Partial<Brand> = {}): Brand {
  const id = "01a2014c-7e49-7167-9dd5-5bc0543ab46d";
  return { owner: id, name: "ACME", label: given, privacy: links, organization: id, ...about };
}

/** Gives an organization policies, or the instance where none is named. */
export async function givePolicies(
  server: Pick<TestServer, "execute" | "admin">,
  organization: string | undefined,
  given: { readonly label?: LabelPolicy; readonly privacy?: PrivacyPolicy },
): Promise<void> {
  const { admin, execute } = server;
  const id = policyId(organization);
  const owner = organization ?? admin.organization;
  // Each policy that has an image holds a claim of its own.
  const of = (one: LabelPolicy) => ({ ...one, images: { ...one.images, policy: id } });
  const command = { actor: "test", relies: {} };
  if (given.label !== undefined) {
    const event = { type: "policy.label.changed", payload: of(given.label) } as const;
    const policy = { noun: label.noun, id, owner } as const;
    await execute({
      ...command,
      writes: { policy },
      decide: () => ({ events: { policy: [event] } }),
    });
  }
  if (given.privacy !== undefined) {
    const event = { type: "policy.privacy.changed", payload: given.privacy } as const;
    const policy = { noun: privacy.noun, id, owner } as const;
    await execute({
      ...command,
      writes: { policy },
      decide: () => ({ events: { policy: [event] } }),
    });
  }
}

/** Gives an organization, or the instance, a brand that is found again in its pages. */
export async function giveBrand(
  server: Pick<TestServer, "execute" | "admin">,
  organization: string | undefined,
  name: string,
): Promise<void> {
  const given = { ...links, tosLink: termsOf(name) };
  await givePolicies(server, organization, { label: violet, privacy: given });
}

/** The name by which a brand was given that a page has; undefined where it has none. */
export function brandIn({ text }: { readonly text: string }): string | undefined {
  return /href="https:\/\/([a-z]+)\.terms\.example\.com\/"/.exec(text)?.[1];
}

const termsOf = (name: string) => `https://${name}.terms.example.com/`;
