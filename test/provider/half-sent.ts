import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { openRaw } from "../gateway/raw.ts";

/** A request that has begun, and of which the rest is still to come. */
export interface HalfSent {
  /** What it is answered; undefined where it is cut without a word. */
  readonly answered: Promise<{ readonly status: number; readonly text: string } | undefined>;
  send(rest: string): void;
  leave(): void;
}

/** What begins a form of so many bytes at a path, on a connection of its own. */
export type BeginForm = (path: string, bytes: number, from?: string) => Promise<HalfSent>;

const begun = new Set<HalfSent>();

/** Leaves all that was begun. */
export async function leaveAll(): Promise<void> {
  for (const { leave } of begun) leave();
  await Promise.all([...begun].map(({ answered }) => answered));
  begun.clear();
}

/** What is to be left: see `leaveAll`. */
function noted(halfSent: HalfSent): HalfSent {
  begun.add(halfSent);
  return halfSent;
}

const type = "application/x-www-form-urlencoded";

/** Begins forms at a port, by the version of HTTP. */
export function formsTo(port: number): { readonly [version: string]: BeginForm } {
  return {
    "HTTP/1.1": async (path, bytes, from = "203.0.113.1") => {
      const connection = await openRaw(port);
      const head = [
        `POST ${path} HTTP/1.1`,
        "host: localhost",
        `content-type: ${type}`,
        `content-length: ${bytes}`,
        `x-forwarded-for: ${from}`,
      ];
      connection.write(`${head.join("\r\n")}\r\n\r\na`);
      const answered = connection
        .answer()
        .then(
          ({ status, headers, body }) => ({ status, text: textOf(headers, body.toString()) }),
          () => undefined,
        )
        .finally(connection.close);
      return noted({ answered, send: connection.write, leave: () => void connection.close() });
    },
    "HTTP/2": async (path, bytes, from = "203.0.113.1") => {
      const session = connect(`http://127.0.0.1:${port}`).on("error", () => {});
      const stream = session.request({
        ...{ ":method": "POST", ":path": path, "content-type": type },
        ...{ "content-length": bytes, "x-forwarded-for": from },
      });
      stream.on("error", () => {}).write("a");
      let text = "";
      stream.on("data", (chunk) => {
        text += chunk;
      });
      let headers: IncomingHttpHeaders | undefined;
      stream.once("response", (fields) => {
        headers = fields;
      });
      const answered = once(stream, "close").then(() => {
        session.destroy();
        return headers && { status: Number(headers[":status"]), text: textOf(headers, text) };
      });
      const send = (rest: string) => void stream.end(rest);
      return noted({ answered, send, leave: () => session.destroy() });
    },
  };
}

/** What matters of an answer: when to come again, of what type it is, and what it says. */
function textOf(headers: { readonly [name: string]: unknown }, body: string): string {
  return [headers["retry-after"], headers["content-type"], body].join("\n");
}
