import type { OutgoingHttpHeaders } from "node:http";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";

export type EventClient = Client<typeof EventService>;

export function eventClient(url: string): EventClient {
  return createClient(EventService, createConnectTransport({ baseUrl: url, httpVersion: "1.1" }));
}

/** What a watch comes to: `OK` when its first answer is there, else code and reason. */
export async function watchOnce(
  client: EventClient,
  headers: OutgoingHttpHeaders,
  request: { readonly resourceOwner?: string },
): Promise<string> {
  const lines = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const leaving = new AbortController();
  const options = { headers: Object.fromEntries(lines), signal: leaving.signal };
  let answers = 0;
  try {
    for await (const _answer of client.watchEvents(request, options)) {
      answers += 1;
      // To leave the loop would look like a fault of the client; to call off is what people do.
      leaving.abort();
    }
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    const [info] = error.findDetails(ErrorInfoSchema);
    if (answers === 0) return `${error.code} ${info?.reason ?? Code[error.code]}`;
  }
  return answers > 0 ? "OK" : "the stream ended without an answer";
}
