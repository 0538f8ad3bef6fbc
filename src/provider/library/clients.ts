import type { Adapter, Client } from "oidc-provider";
import { hashSecret } from "../../secrets/tokens.ts";
import { createMemory } from "../base/memory.ts";
import { method, type Patch } from "./replace.ts";

/** The class of the library's clients. */
interface Clients {
  readonly adapter: Pick<Adapter, "find">;
  new (metadata: object): Client;
}

/** Characters of the metadata, as JSON, of all clients that are remembered. */
export const madeClientsCharacters = 1_000_000;

/** Has clients that are remembered weigh what they were made of; the first are forgotten. */
export const ofMade: readonly Patch[] = [
  method<Clients, [id: string], Promise<Client | undefined>>(
    "Client.find",
    {
      takes: 1,
      why: "The library remembers the last clients that it made by number, whatever their size.",
      without: "An application with many long URIs fills the memory by changing them.",
    },
    () => {
      const made = createMemory<Client>(madeClientsCharacters);
      return async function find(id) {
        const metadata = typeof id === "string" && id ? await this.adapter.find(id) : undefined;
        if (!metadata) return undefined;
        const text = JSON.stringify(metadata);
        const name = hashSecret(text);
        const before = made.get(name);
        if (before !== undefined) return before;
        // Made of the text, it has no part of the request that named it.
        const client = new this(JSON.parse(text));
        made.keep(name, client, text.length);
        return client;
      };
    },
  ),
];
