import type { Claim } from "../../event.ts";
import { accept, reject } from "../decision.ts";
import type { ImageType } from "../image/image.ts";
import type { PolicyDecision } from "./policy.ts";

/** What an image of a label policy shows. */
export type ImageKind = "logo" | "icon";
/** The theme that an image is for. */
export type ImageTheme = "light" | "dark";

/** An image, whose bytes are kept by their hash. */
export interface Image {
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly type: ImageType;
}

/** Where an image stands in a label policy. */
export interface ImageKey {
  readonly kind: ImageKind;
  readonly theme: ImageTheme;
}

/** The images of a label policy, by what they show and the theme that they are for. */
export type LabelImages = {
  readonly [kind in ImageKind]: { readonly [theme in ImageTheme]?: Image };
} & {
  /** The id of the policy, as soon as an image was uploaded: two policies may have the same one. */
  readonly policy?: string;
};

/** What happens to the images of a label policy. */
export type LabelImageEvent =
  | {
      readonly type: "policy.label.image.set";
      readonly payload: ImageKey & Image & { readonly policy: string };
    }
  | { readonly type: "policy.label.image.removed"; readonly payload: ImageKey };

/** The happening behind each of them: see `Noun.events`. */
export const labelImageEvents: { readonly [type in LabelImageEvent["type"]]: string } = {
  "policy.label.image.set":
    "The label policy got this image; its bytes lie beside the log by their SHA-256",
  "policy.label.image.removed": "The label policy no longer has this image",
};

/** The images as an event leaves them. */
export function evolveImages(images: LabelImages, event: LabelImageEvent): LabelImages {
  const { kind, theme } = event.payload;
  if (event.type === "policy.label.image.removed") {
    const { [theme]: _removed, ...others } = images[kind];
    return { ...images, [kind]: others };
  }
  const { sha256, type, policy } = event.payload;
  return { ...images, [kind]: { ...images[kind], [theme]: { sha256, type } }, policy };
}

/** The claims by which an image is found: each policy that has it holds one of its own. */
export function imageClaims({ logo, icon, policy = "" }: LabelImages): readonly Claim[] {
  const all = [logo.light, logo.dark, icon.light, icon.dark];
  const hashes = new Set(all.flatMap((image) => image?.sha256 ?? []));
  return [...hashes].map((scope) => ({ kind: imageClaim, scope, value: policy }));
}

/** The kind of those claims; their scope is the SHA-256. */
export const imageClaim = "labelImage";

/** The path of an image below `/ui/`; it changes with what is in the image. */
export function imagePath({ sha256, type }: Image): string {
  return `images/${sha256}.${extensions[type]}`;
}

const extensions: { readonly [type in ImageType]: string } = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

/** A label policy, of which only its images matter. */
interface WithImages {
  readonly images: LabelImages;
}

type ImageDecision = PolicyDecision<LabelImageEvent>;

/** Gives a label policy an image. */
export function setImage(
  before: WithImages | undefined,
  { kind, theme }: ImageKey,
  { sha256, type }: Image,
  policy: string,
): ImageDecision {
  if (before === undefined) return reject("POLICY_NOT_FOUND");
  if (before.images[kind][theme]?.sha256 === sha256) return reject("NOTHING_CHANGED");
  const payload = { kind, theme, sha256, type, policy };
  return accept({ policy: [{ type: "policy.label.image.set", payload }] });
}

/** Takes an image from a label policy. */
export function removeImage(
  before: WithImages | undefined,
  { kind, theme }: ImageKey,
): ImageDecision {
  if (before === undefined) return reject("POLICY_NOT_FOUND");
  if (before.images[kind][theme] === undefined) return reject("IMAGE_NOT_FOUND");
  return accept({ policy: [{ type: "policy.label.image.removed", payload: { kind, theme } }] });
}
