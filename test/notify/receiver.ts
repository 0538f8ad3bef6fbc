import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Watch } from "./watch.ts";

/** A call of the webhook as it arrived. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly calls: readonly Call[];
  close(): Promise<void>;
}

/** A real webhook on this machine; what it answers can be given, else 200. */
export async function startReceiver(
  watch: Watch,
  answer: (call: Call, response: ServerResponse) => void = (_, response) => response.end(),
): Promise<Receiver> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const call = { method, path: url, headers, body: await text(request) };
    calls.push(call);
    answer(call, response);
    watch.happened();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sms`,
    calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
