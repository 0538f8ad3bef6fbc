import type { Html } from "../text/html.ts";
import type { Notice } from "./notice.ts";

/** What is said to those who log in on a device by a code that it shows. */
export interface DeviceTexts {
  readonly title: string;
  readonly enter: string;
  readonly label: string;
  readonly hint: string;
  readonly wrong: string;
  readonly submit: string;
  /** Whether the device may log in: what stands in place of `consent`. */
  readonly consent: {
    readonly title: string;
    ask(application: Html, organization: Html): Html;
    /** When to allow it. */
    readonly trust: string;
  };
  readonly allowed: Notice;
  /** Where the person did not allow it, or may not log in there. */
  readonly denied: Notice;
  /** Where the code has expired or was used meanwhile. */
  readonly over: Notice;
  /** From there to the first page. */
  readonly again: string;
}
