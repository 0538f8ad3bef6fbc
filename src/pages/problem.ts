import type { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.js";
import { httpStatusOf, reasonOf } from "../gateway/call/errors.ts";
import type { Reason } from "../reason.ts";
import { problemPage } from "./html/notice.ts";
import type { Problem } from "./notice.ts";

/**
 * A page that says what is wrong, with the status of the refusal. What is wrong with a code depends
 * on where it came from.
 */
export function problemOf(
  error: ConnectError,
  code: "code" | "passkeyCode" | "emailCode",
  { requestId }: { readonly requestId: string },
) {
  const reason = reasonOf(error) ?? "INTERNAL";
  const problem = reason === "CODE_INVALID" ? code : (problems[reason] ?? "later");
  return { status: httpStatusOf(error), page: problemPage(problem, requestId) };
}

/** The page of a problem that nothing else has to be known of. */
export function problemNamed(problem: Problem, status: number) {
  return { status, page: problemPage(problem, "") };
}

const problems: { readonly [reason in Reason]?: Problem } = {
  INVALID_FIELDS: "link",
  UNKNOWN_PATH: "missing",
  METHOD_NOT_ALLOWED: "form",
  UNSUPPORTED_MEDIA_TYPE: "form",
  UNSUPPORTED_COMPRESSION: "form",
  MALFORMED_REQUEST: "form",
  BODY_TOO_LARGE: "form",
  INTERNAL: "fault",
};

/** Whether what is wrong is the code that somebody has typed. */
export function isAboutCode(error: ConnectError): boolean {
  return reasonOf(error) === "CODE_INVALID" || brokenFields(error).includes("code");
}

/** The fields that break their rules. */
export function brokenFields(error: ConnectError): readonly string[] {
  return error
    .findDetails(BadRequestSchema)
    .flatMap(({ fieldViolations }) => fieldViolations.map(({ field }) => field));
}
