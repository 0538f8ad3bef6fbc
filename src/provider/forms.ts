import type { FastifyRequest } from "fastify";
import { unsupportedMediaType } from "../gateway/call/errors.ts";
import type { Kind } from "../gateway/front.ts";
import { type Fields, fieldsOf, formType, type Patience, readFormBytes } from "../pages/form.ts";
import { refuseOtherSites } from "../pages/origin.ts";
import type { ProviderParts } from "./base/parts.ts";

/** Reads what was sent with a request. Rejects with what it is refused with. */
export type Read<Sent> = (request: FastifyRequest, patience: Patience) => Promise<Sent>;

/** Bytes of a form that has a token, or is for the library: some have a JWT. */
export const tokenFormBytesMax = 56 * 1024;

/** Bytes of a form that goes on as an address, which has no more room in a header. */
export const addressFormBytesMax = 16 * 1024;

/** The whole body, where the library is going to read it: what is no form it refuses itself. */
export const readWhole = readUpTo(tokenFormBytesMax);

/** The same of a form that pages of the service alone may send. */
export function readOwn({ publicUrl }: Pick<ProviderParts, "publicUrl">): typeof readWhole {
  return async (request, patience) => {
    const sent = await readWhole(request, patience);
    refuseOtherSites(request, publicUrl());
    return sent;
  };
}

/** The fields of a form; those that have a token may be as large as what it was asked for with. */
export function readFieldsOf(kind: Kind): Read<Fields> {
  const read = readUpTo(kind === "pages" ? addressFormBytesMax : tokenFormBytesMax);
  return async (request, patience) => {
    const bytes = await read(request, patience);
    const { authorization, "content-type": type } = request.headers;
    // Programs name a type also where they send nothing. A token in the header needs no form.
    const isSent = request.method === "POST" && type !== undefined;
    const isShown = kind === "lookups" && authorization !== undefined;
    if (bytes === undefined && isSent && !isShown) throw unsupportedMediaType(type, formType);
    return fieldsOf(bytes?.toString() ?? "");
  };
}

/** The body of a form, whatever parameters its type has, as the library takes it; else nothing. */
function readUpTo(bytesMax: number): Read<Buffer | undefined> {
  return async (request, patience) => {
    const type = request.headers["content-type"] ?? "";
    const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
    if (request.method !== "POST" || !isForm) return undefined;
    return await readFormBytes(request, bytesMax, patience);
  };
}
