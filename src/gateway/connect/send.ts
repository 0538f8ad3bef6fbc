import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { universalResponseToNodeResponse } from "@connectrpc/connect-node";

/** Sends an answer of Connect's. A caller who has gone is not sent the rest. */
export async function sendUniversal(
  response: UniversalServerResponse,
  to: Parameters<typeof universalResponseToNodeResponse>[1],
): Promise<void> {
  await universalResponseToNodeResponse(response, to).catch((thrown: unknown) => {
    if (!(thrown instanceof ConnectError && thrown.code === Code.Aborted)) throw thrown;
  });
}
