import { encodeQR } from "qr";
import { type Html, html } from "../../text/html.ts";

/** Modules of white around a code, without which readers do not find it (ISO/IEC 18004). */
const quietZone = 4;

/**
 * A QR code of the text as an inline picture, dark on light whatever the page looks like. The label
 * says to people who cannot see it what it is.
 */
export function qrSVG(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: quietZone });
  const size = rows.length;
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
  );
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}"
 role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/>
<path d="${dark.join("")}" fill="#000"/>
</svg>`;
}
