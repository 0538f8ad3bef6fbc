/** How well colours can be told apart (WCAG 2.2, 1.4.3). */

/** The contrast that text needs with its ground. */
export const contrastMin = 4.5;

/** A colour as it is written, `#rrggbb`. */
export type Colour = string;

/** Whether a text is a colour. */
export function isColour(text: string): boolean {
  return /^#[\da-f]{6}$/i.test(text);
}

/** The contrast of two colours, from 1 to 21. */
export function contrastOf(a: Colour, b: Colour): number {
  const [darker = 0, lighter = 0] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Whether text in the colour can be read on the ground. */
export function isReadable(text: Colour, ground: Colour): boolean {
  return contrastOf(text, ground) >= contrastMin;
}

/** The colour of text on a ground: white, or black where that has more contrast. */
export function textOn(ground: Colour): Colour {
  return contrastOf(white, ground) >= contrastOf(black, ground) ? white : black;
}

/**
 * The nearest colour that can be read on the ground, on the way to black or to white, so that the
 * hue stays. There is one for each ground.
 */
export function nearestReadable(text: Colour, ground: Colour): Colour {
  for (let step = 0; step < steps; step += 1) {
    const found = [black, white]
      .map((end) => mix(text, end, step / steps))
      .find((colour) => isReadable(colour, ground));
    if (found !== undefined) return found;
  }
  return textOn(ground);
}

const black = "#000000";
const white = "#ffffff";
/** The steps of the way. */
const steps = 256;

/** A colour so far on the way from one to another, from 0 to 1. */
export function mix(from: Colour, to: Colour, share: number): Colour {
  const ends = channelsOf(to);
  const mixed = channelsOf(from).map((value, i) => {
    return Math.round(value + ((ends[i] ?? 0) - value) * share);
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Red, green and blue, from 0 to 255. */
function channelsOf(colour: Colour): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** The relative luminance (WCAG 2.2), from 0 to 1. */
function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
