import { html } from "../../../text/html.ts";
import type { Activity } from "../../account-parts.ts";
import { type OfPerson, partPage, row, timeIn } from "./part.ts";
import { networkIn } from "./sessions.ts";

/** What happened to the account of a person, the latest first. */
export interface ShownActivity extends OfPerson {
  readonly happened: readonly {
    readonly what: Activity;
    /** Unix milliseconds. */
    readonly timeMs: number;
    /** From where, in CIDR. */
    readonly network?: string;
  }[];
}

/** Lists what happened. */
export function activityPage({ happened, ...person }: ShownActivity) {
  return partPage(
    "activity",
    person,
    (frame) => {
      const { activity } = frame.texts.account;
      const rows = happened.map(({ what, timeMs, network }) => {
        const where = networkIn(network, frame);
        return row(html`${activity.events[what]}`, [html`${timeIn(frame, timeMs)}${where}`]);
      });
      return html`<p>${activity.about}</p>
${rows.length === 0 ? html`<p>${activity.none}</p>` : html`<ul class="rows">\n${rows}</ul>`}`;
    },
    ["time.js"],
  );
}
