import type { FastifyRequest } from "fastify";
import { notedClient, notedNetwork } from "../../gateway/call/client.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { type Program, programOf } from "../../text/user-agent.ts";
import type { ProviderParts } from "./parts.ts";

/** From where somebody logs in, as far as the own sessions show it. */
export interface From extends Program {
  /** The network, in CIDR. */
  readonly network?: string | undefined;
}

/** What is kept of a session of a browser besides what the library keeps. */
export interface Traces {
  readonly from?: From;
  /** When it was used last (Unix milliseconds). */
  readonly usedMs?: number;
}

/** From where a request comes. */
export function fromOf({ raw }: Pick<FastifyRequest, "raw">): From {
  const { userAgent = "" } = notedClient(raw);
  return { ...programOf(userAgent), network: notedNetwork(raw) };
}

/** What events have of it, which stays in the log: the network alone, unless that is turned off. */
export function eventFrom(
  { eventNetworks }: Pick<ProviderParts, "eventNetworks">,
  { network }: From = {},
): { readonly network?: string } {
  return eventNetworks && network !== undefined ? { network } : {};
}

/** What is kept of a session; nothing where its time is over. */
export async function findTraces(
  { unit }: Pick<ProviderParts, "unit">,
  sessionId: string,
): Promise<Traces> {
  const kept = await unit.artifacts.findAlias(`Session:${hashSecret(sessionId)}`);
  return JSON.parse(kept?.payload ?? "{}") as Traces;
}

/** Takes away what is kept of a session that has ended. */
export async function removeTraces(
  { unit }: Pick<ProviderParts, "unit">,
  sessionId: string,
): Promise<void> {
  const kept = await unit.artifacts.findAlias(`Session:${hashSecret(sessionId)}`);
  if (kept !== undefined) await unit.artifacts.later({ kind: "remove", key: kept.key });
}
