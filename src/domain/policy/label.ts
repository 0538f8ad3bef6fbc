import type { Problem, Violation } from "../decision.ts";
import { type Noun, unknownEvent } from "../noun.ts";
import { contrastOf, isColour, isReadable, nearestReadable } from "./contrast.ts";
import {
  evolveImages,
  imageClaims,
  type LabelImageEvent,
  type LabelImages,
  labelImageEvents,
} from "./image.ts";
import { type PolicyEvent, type PolicyKind, type PolicyState, policyNoun } from "./policy.ts";

/** The colours of one theme, as `#rrggbb`. */
interface Colours {
  /** Of buttons, whose text is `textOn` it, and of links. */
  readonly primaryColor: string;
  /** Of what is said of mistakes. */
  readonly warnColor: string;
  /** Of the ground on which text and links stand. */
  readonly backgroundColor: string;
  readonly fontColor: string;
}

/** What pages and mails look like. */
export interface LabelPolicy extends Colours {
  readonly primaryColorDark: string;
  readonly warnColorDark: string;
  readonly backgroundColorDark: string;
  readonly fontColorDark: string;
  readonly themeMode: ThemeMode;
  readonly images: LabelImages;
}

/** The theme that pages have: what the browser prefers, or always one. */
export type ThemeMode = "AUTO" | "LIGHT" | "DARK";

/** What happens to a label policy. */
export type LabelPolicyEvent = PolicyEvent<"label", LabelPolicy, "images"> | LabelImageEvent;

/** What the style sheet of the pages says. */
const defaults: LabelPolicy = {
  ...{ primaryColor: "#1f5fbf", warnColor: "#a8241b" },
  ...{ backgroundColor: "#ffffff", fontColor: "#1b2430" },
  ...{ primaryColorDark: "#9cc2ff", warnColorDark: "#ffb3ab" },
  ...{ backgroundColorDark: "#1b212a", fontColorDark: "#e8ecf2" },
  ...{ themeMode: "AUTO" },
  images: { logo: {}, icon: {} },
};

/** The noun of label policies. */
export const labelPolicy: Noun<PolicyState<LabelPolicy>, LabelPolicyEvent> = {
  ...policyNoun,
  kind: "labelPolicy",
  claims: ({ images }) => imageClaims(images),
  events: {
    "policy.label.added": "An organization got a label policy of its own",
    "policy.label.changed": "The colours of it, or of the default of the instance, were replaced",
    ...labelImageEvents,
    "policy.label.removed": "It was removed, and the default of the instance holds again",
  },
  evolve(state, event) {
    const { images } = state ?? defaults;
    switch (event.type) {
      case "policy.label.added":
      case "policy.label.changed":
        return { images, ...event.payload, organization: event.owner };
      case "policy.label.image.set":
      case "policy.label.image.removed": {
        const after = evolveImages(images, event);
        return { ...(state ?? defaults), images: after, organization: event.owner };
      }
      case "policy.label.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
};

/** Label policies as policies. */
export const label: PolicyKind<"label", LabelPolicy, "images", LabelImageEvent> = {
  ...{ name: "label", noun: labelPolicy, defaults, kept: ["images"] },
};

/** The rule of a colour. */
export function colourProblem(colour: string): Problem {
  return isColour(colour) ? undefined : "must be a colour of the form #rrggbb";
}

/** What stands on what, in each theme, in the names of the contract. */
const pairs = ["", "_dark"].flatMap((theme) =>
  ["font_color", "primary_color", "warn_color"].map((text) => ({
    text: `${text}${theme}`,
    ground: `background_color${theme}`,
  })),
);

/** Each colour that cannot be read on its ground, of those that the contract names so. */
export function contrastViolations(colours: {
  readonly [field: string]: string;
}): readonly Violation[] {
  return pairs.flatMap((pair) => {
    const [text = "", ground = ""] = [colours[pair.text], colours[pair.ground]];
    if (!isColour(text) || !isColour(ground) || isReadable(text, ground)) return [];
    const contrast = Math.floor(contrastOf(text, ground) * 100) / 100;
    const description =
      `has a contrast of ${contrast} with ${pair.ground} (${ground}), and needs 4.5: ` +
      `the nearest colour that has it is ${nearestReadable(text, ground)}`;
    return [{ field: pair.text, description, names: [pair.ground] }];
  });
}
