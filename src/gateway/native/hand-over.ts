import { ConnectError, createContextValues } from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { type Arrival, arrivalOf } from "../call/call.ts";
import { webHeaders } from "../call/headers.ts";
import { type Received, replayed } from "../call/receive.ts";
import { arrivalKey } from "../connect/call.ts";
import { toRpc } from "../connect/rest.ts";
import { sendUniversal } from "../connect/send.ts";
import type { CallOptions } from "./call.ts";
import type { Exchange } from "./exchange.ts";
import type { Target } from "./target.ts";

/**
 * Has Connect's handler answer a call of which a part, or all, was read before it turned out to be
 * unusual. It begins anew: nothing but what was found at its arrival is kept.
 */
export async function handOver(
  exchange: Exchange,
  { unary, rest }: Target,
  received: Received,
  known: Arrival,
  { ownFields, senderOf }: Pick<CallOptions, "ownFields" | "senderOf">,
): Promise<void> {
  const closed = new AbortController();
  exchange.onClose(() => closed.abort());
  // What it counts for over time, it has been counted for.
  const from = known.sender ?? senderOf(exchange.body, exchange.headers);
  const sender = { ...from, pacedAs: undefined };
  const arrival = arrivalOf(known.startedMs, { ...known, sender });
  const request: UniversalServerRequest = {
    httpVersion: exchange.httpVersion,
    method: exchange.verb,
    url: `http://localhost${exchange.path}`,
    header: webHeaders(exchange.headers),
    body: replayed(received, exchange.body),
    signal: closed.signal,
    contextValues: createContextValues().set(arrivalKey, arrival),
  };
  const rpc = rest === undefined ? request : toRpc(request, rest.route);
  // A target of this wire has a content type that its route answers.
  if (rpc instanceof ConnectError) throw rpc;
  const response = await unary.byConnect(rpc);
  const header = new Headers(response.header);
  for (const [name, value] of Object.entries(ownFields)) header.set(name, value);
  await sendUniversal({ ...response, header }, exchange.response());
}
