import { Code, type ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";

/**
 * What a call of any Connect client was refused with, for people: the stable reason, which programs
 * match on, the message, and a line for each field that breaks a rule.
 */
export function describeRefusal(error: ConnectError): string {
  const [info] = error.findDetails(ErrorInfoSchema);
  const [request] = error.findDetails(BadRequestSchema);
  const violations = request?.fieldViolations ?? [];
  // Without a reason it is not the service that refuses, but the network or something in between.
  const reason = info?.reason ?? Code[error.code];
  if (violations.length === 0) return `${reason}: ${error.rawMessage}`;
  const lines = violations.map(({ field, description }) => `\n  ${field}: ${description}`);
  return `${reason}:${lines.join("")}`;
}
