import type { Language } from "../../text/language.ts";
import type { Picture } from "./mail-brand.ts";

/** A message as it goes out. */
export interface Message {
  /** `<position>-<field>` of what asked for it: the same in every attempt, and in no other. */
  readonly id: string;
  /** Tells it apart from messages of other logs too; nothing can be learned from it. */
  readonly digest: string;
  readonly channel: "email" | "sms";
  /** A plain e-mail address or a phone number (E.164). */
  readonly to: string;
  readonly language: Language;
  readonly subject: string;
  /** Plain text of lines that end in a line feed. */
  readonly text: string;
  /** The same words as a whole HTML document, for channels that can show one. */
  readonly html?: string;
  /** What the HTML shows that goes along with it. */
  readonly picture?: Picture;
  /** When it was asked for, in Unix milliseconds. */
  readonly timeMs: number;
}

/** What names a message to the world: the same in every attempt, and in no other of any log. */
export function nameOf({ id, digest }: Pick<Message, "id" | "digest">): string {
  return `${id}.${digest}`;
}
