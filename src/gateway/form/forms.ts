import { encodingOf } from "../call/elements.ts";
import type { Form, MessageForm } from "../call/form.ts";
import { connectIn } from "./connect.ts";
import { grpcIn } from "./grpc.ts";
import { grpcWebIn } from "./grpc-web.ts";
import { plainIn } from "./json.ts";
import { binary, json } from "./message.ts";

const both = (formIn: (messages: MessageForm) => Form) => ({
  binary: formIn(binary),
  json: formIn(json),
});

const forms = {
  grpc: both(grpcIn),
  "grpc-web": both(grpcWebIn),
  connect: both(connectIn),
  json: both(plainIn),
} as const;

/** JSON on a path of REST. */
export const restForm = forms.json.json;

/** The content types that a body may have there. */
export const restType = /^application\/json(?:; ?charset=utf-?8)?$/i;

/**
 * The form of a request by its content type, null where it has none. Connect clients say so in a
 * header and read Connect's own error body. Every other JSON request gets plain JSON with numbers
 * for codes.
 */
export function formOf(contentType: string | null, isConnect: boolean): Form {
  return forms[protocolOf(contentType ?? "", isConnect)][encodingOf(contentType)];
}

/** The same, by the header of a request. */
export function formIn(header: Headers): Form {
  return formOf(header.get("content-type"), header.has("connect-protocol-version"));
}

/**
 * The header as Connect is given it: its content type is written in one way, and left out where no
 * method takes it. Connect remembers for good each one that it is asked about.
 */
export function withServedType(header: Headers): Headers {
  const sent = header.get("content-type")?.toLowerCase();
  const plain = sent?.replace(/json; ?charset=utf-?8$/, "json");
  const type = servedTypes.find((one) => one === plain);
  const served = new Headers(header);
  if (type === undefined) served.delete("content-type");
  else served.set("content-type", type);
  return served;
}

const servedTypes: readonly string[] = [
  ...["application/json", "application/proto"],
  ...["application/connect+json", "application/connect+proto"],
  ...["application/grpc", "application/grpc+json", "application/grpc+proto"],
  ...["application/grpc-web", "application/grpc-web+json", "application/grpc-web+proto"],
];

function protocolOf(contentType: string, isConnect: boolean): keyof typeof forms {
  if (/^application\/grpc-web(?![a-z])/i.test(contentType)) return "grpc-web";
  if (/^application\/grpc(?![a-z-])/i.test(contentType)) return "grpc";
  return isConnect ? "connect" : "json";
}

/** The forms that most requests have, by their content types as they are sent. */
export function usualForms(isConnect: boolean): ReadonlyMap<string, Form> {
  return new Map(usualTypes.map((type) => [type, formOf(type, isConnect)]));
}

const usualTypes = [
  ...["application/grpc", "application/grpc+proto"],
  ...["application/grpc-web", "application/grpc-web+proto"],
  ...["application/json", "application/json; charset=utf-8", "application/proto"],
];
