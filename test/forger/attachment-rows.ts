import { png, pngHeader, pngPixels } from "../domain/image/parts.ts";
import { type Effect, type Forgery, sqlOf, text } from "./forgery.ts";

/** An image that nobody uploaded. */
const forged = png(pngHeader({ width: 5 }), pngPixels());
const hex = forged.toString("hex");

/** Whether the service serves the image of the forger under the hash of another. */
const isServed: Effect = async ({ life }, url) => {
  const response = await fetch(url + life.image);
  return response.ok && Buffer.from(await response.arrayBuffer()).equals(forged);
};

/** What somebody writes beside the events who may serve on it, and has no key. */
export const attachmentRows: readonly Forgery[] = [
  {
    name: "attachments: other bytes in a file",
    of: "file",
    forge: sqlOf(text(`UPDATE attachments SET bytes = x'${hex}'`)),
    effect: isServed,
  },
  {
    name: "attachments: other bytes in a database",
    of: "database",
    forge: sqlOf(text(`UPDATE attachments SET bytes = '\\x${hex}'`)),
    effect: isServed,
  },
];
