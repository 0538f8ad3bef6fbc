import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Alias, aliasOfHeader, ownTarget } from "../alias.ts";
import type { Takers } from "../port/http2.ts";
import { organizationHeader } from "./call/gate.ts";

/**
 * Takers that are shown each request by our names, whichever it was sent by: what is decided,
 * counted and logged of a method is then the same under both.
 */
export function byOwnNames({ listener, takeStream = () => false }: Takers, alias: Alias): Takers {
  return {
    listener: (request, response) => {
      // One of HTTP/2 was renamed as a stream.
      if (request instanceof IncomingMessage) {
        request.url = ownTarget(request.url ?? "", alias);
        chooseOrganization(request.headers, alias);
      }
      listener(request, response);
    },
    takeStream: (stream, headers, rawHeaders) => {
      const { ":path": target } = headers;
      if (target !== undefined) headers[":path"] = ownTarget(target, alias);
      chooseOrganization(headers, alias);
      return takeStream(stream, headers, rawHeaders);
    },
  };
}

/** Renames the header of the alias. Beside ours with another value, it is one given twice. */
function chooseOrganization(headers: IncomingHttpHeaders, alias: Alias): void {
  const name = aliasOfHeader(alias);
  const given = headers[name];
  if (given === undefined) return;
  const own = headers[organizationHeader];
  headers[organizationHeader] = own === undefined || own === given ? given : `${own}, ${given}`;
  delete headers[name];
}
