import {
  create,
  type DescMessage,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import {
  BadRequest_FieldViolationSchema,
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.js";
import { Refused } from "../../api/call.ts";
import { type Rejection, rejectionFor, type Violation } from "../../domain/decision.ts";
import { type Reason, reasons, type Status } from "../../reason.ts";
import { KeysOverloaded } from "../../secrets/key-pairs.ts";
import { KeyMissing } from "../../secrets/keyring.ts";
import { HashingOverloaded } from "../../secrets/passwords/threads.ts";
import { OutcomeUnknown, StoreUnavailable, type WhyUnavailable } from "../../store/store.ts";
import type { Encoding } from "./elements.ts";
import { nameFields } from "./field-name.ts";
import { waitMsOf } from "./waits.ts";

/**
 * Each canonical status as gRPC numbers it, and the HTTP status that every JSON dialect answers.
 */
const statuses: { readonly [status in Status]: readonly [Code, number] } = {
  canceled: [Code.Canceled, 499],
  unknown: [Code.Unknown, 500],
  invalid_argument: [Code.InvalidArgument, 400],
  deadline_exceeded: [Code.DeadlineExceeded, 504],
  not_found: [Code.NotFound, 404],
  already_exists: [Code.AlreadyExists, 409],
  permission_denied: [Code.PermissionDenied, 403],
  resource_exhausted: [Code.ResourceExhausted, 429],
  failed_precondition: [Code.FailedPrecondition, 409],
  aborted: [Code.Aborted, 409],
  unimplemented: [Code.Unimplemented, 501],
  internal: [Code.Internal, 500],
  unavailable: [Code.Unavailable, 503],
  unauthenticated: [Code.Unauthenticated, 401],
};

/** Reasons about HTTP itself, which has a status of its own for them. */
const httpStatuses: { readonly [reason in Reason]?: number } = {
  METHOD_NOT_ALLOWED: 405,
  UNSUPPORTED_MEDIA_TYPE: 415,
  BODY_TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  EXPECTATION_FAILED: 417,
};

/**
 * What parsers say may quote the whole request, and field rules may be broken very often, but gRPC
 * sends a refusal in header fields, of which many clients read 8 KiB in all.
 */
export const refusalLimits = {
  /** Bytes of a message; encoded for `grpc-message` they may become three times as many. */
  messageBytes: 1_000,
  /** Bytes of what gRPC encodes: the message, and the message with the details. */
  encodedBytes: 6_000,
} as const;

/** Where `ErrorInfo.reason` is unique. */
const domain = "iam";

/** How a refusal is told. */
interface Telling {
  /** What `ErrorInfo` says besides the reason. */
  readonly metadata?: { readonly [key: string]: string };
  /** How the caller writes messages, and so the names of fields. */
  readonly encoding?: Encoding | undefined;
}

/**
 * An error as every protocol can carry it: status, message, and the details `ErrorInfo`,
 * `BadRequest` where fields are to blame, and `RetryInfo` where waiting helps. Every protocol gets
 * the same: violations for which gRPC has no room are left out and counted.
 */
export function failure(
  rejection: Rejection,
  { metadata = {}, encoding = "binary" }: Telling = {},
): ConnectError {
  const { reason, retryMs = waitMsOf(reason) } = rejection;
  // Names in JSON are no longer than those of the contract, by which is counted what fits.
  const told = countFitting(trimMessage(rejection.message), rejection.violations ?? []);
  const { message: text, violations = [] } = nameFields(rejection, encoding);
  const message = trimMessage(text);
  const fieldViolations = violations
    .slice(0, told)
    .map(({ field, description }) => ({ field, description }));
  const left = violations.length - told;
  const counted = left === 0 ? metadata : { ...metadata, violations_left_out: String(left) };
  const error = new ConnectError(message, codeOf(reason));
  error.details.push(detailOf(ErrorInfoSchema, { reason, domain, metadata: counted }));
  if (violations.length > 0) {
    error.details.push(detailOf(BadRequestSchema, { fieldViolations }));
  }
  if (retryMs !== undefined) {
    error.details.push(detailOf(RetryInfoSchema, { retryDelay: durationFromMs(retryMs) }));
    // RFC 9110, 10.2.3: whole seconds.
    error.metadata.set("retry-after", String(Math.ceil(retryMs / 1_000)));
  }
  // RFC 9110, 15.5.2: a 401 names the scheme, whichever part found the token missing.
  if (reason === "UNAUTHENTICATED") error.metadata.set("www-authenticate", "Bearer");
  return error;
}

/**
 * Gives an error that connect has made, and is about to write in the caller's protocol, all that
 * callers are told by another.
 */
export function copyRefusal(
  { code, rawMessage, details, metadata }: ConnectError,
  to: ConnectError,
) {
  Object.assign(to, { code, rawMessage, details, metadata });
}

/** Bytes of a refusal without message and violations: reason, names of types, and all lengths. */
const frameBytes = 300;

/** How many of the violations gRPC has room for next to the message, from the first on. */
function countFitting(message: string, violations: readonly Violation[]): number {
  const room = refusalLimits.encodedBytes - percentEncode(message).length;
  let bytes = frameBytes + Buffer.byteLength(message);
  const end = violations.findIndex(({ field, description }) => {
    const init = create(BadRequest_FieldViolationSchema, { field, description });
    // A tag and a length of at most two bytes stand before each one that fits.
    bytes += toBinary(BadRequest_FieldViolationSchema, init).byteLength + 3;
    return base64Length(bytes) > room;
  });
  return end < 0 ? violations.length : end;
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Encodes no more of a message than gRPC asks for (PROTOCOL-HTTP2.md, Status-Message). */
export function percentEncode(message: string): string {
  return message.replaceAll(/[^ -$&-~]+/g, encodeURIComponent);
}

export function methodNotAllowed(allowed: readonly string[]): ConnectError {
  const allow = allowed.join(", ");
  const error = failure({ reason: "METHOD_NOT_ALLOWED", message: `This path supports ${allow}.` });
  error.metadata.set("allow", allow);
  return error;
}

/** Refuses a content type, or the lack of one, and names one that the path answers. */
export function unsupportedMediaType(
  contentType: string | null,
  instead = "application/json",
): ConnectError {
  const found = contentType
    ? `This path does not support the content type ${contentType.slice(0, 100)}`
    : "The request has no content type";
  return failure({ reason: "UNSUPPORTED_MEDIA_TYPE", message: `${found}: send ${instead}.` });
}

/** The refusal of a query on a REST path: fields that stood there would be lost. */
export function unreadQuery(): ConnectError {
  const message = "REST paths have no query: put the fields in the body, or call the RPC path.";
  return failure({ reason: "MALFORMED_REQUEST", message });
}

export function bodyTooLarge(bytesMax: number): ConnectError {
  const message = `The message is larger than ${bytesMax} bytes, as sent or decompressed.`;
  return failure({ reason: "BODY_TOO_LARGE", message });
}

export function requestTimeout(ms: number): ConnectError {
  const message = `The request was not sent completely within ${ms} ms.`;
  return failure({ reason: "REQUEST_TIMEOUT", message });
}

/** The error of a call that its caller does not wait for any more. */
export function canceled(): ConnectError {
  return failure(rejectionFor("CANCELED"));
}

/** Explains anything that is thrown to the caller; what nobody foresaw is logged as a defect. */
export function explain(
  thrown: unknown,
  { requestId, form }: Explained,
  log: Logger,
): ConnectError {
  return failureOf(thrown, form.encoding) ?? internal(thrown, requestId, log);
}

/** What of a call its refusal depends on. */
interface Explained {
  readonly requestId: string;
  readonly form: { readonly encoding: Encoding };
}

/** Logs what nobody foresaw, whole; the answer says only where to look it up. */
export function internal(thrown: unknown, requestId: string, log: Logger): ConnectError {
  log.error({ requestId, err: thrown }, "a call failed in a way that nobody foresaw");
  const message = `internal error ${requestId}`;
  return failure({ reason: "INTERNAL", message }, { metadata: { request_id: requestId } });
}

/** The refusal behind anything that a handler throws; undefined for what nobody foresaw. */
export function failureOf(thrown: unknown, encoding?: Encoding): ConnectError | undefined {
  if (thrown instanceof Refused) return failure(thrown.rejection, { encoding });
  if (thrown instanceof StoreUnavailable) return failure(storeRefusals[thrown.why]);
  if (thrown instanceof OutcomeUnknown) return failure(rejectionFor("OUTCOME_UNKNOWN"));
  if (thrown instanceof KeyMissing) {
    return failure({
      reason: "UNAVAILABLE",
      message:
        `The master key ${thrown.keyId} is missing in this process. The operator must add ` +
        "it; then repeat the call.",
    });
  }
  if (thrown instanceof HashingOverloaded) {
    return failure(rejectionFor("HASHING_OVERLOADED"));
  }
  if (thrown instanceof KeysOverloaded) return failure(rejectionFor("KEYS_OVERLOADED"));
  if (thrown instanceof ConnectError && reasonOf(thrown) !== undefined) return thrown;
  // A library has put an error of its own in front of ours.
  return thrown instanceof Error && thrown.cause !== undefined
    ? failureOf(thrown.cause, encoding)
    : undefined;
}

/** What callers are told of a store that cannot serve; why is for the log, which may name paths. */
export const storeRefusals: { readonly [why in WhyUnavailable]: Rejection } = {
  passing: rejectionFor(
    "UNAVAILABLE",
    "The event log cannot be reached or written now. Try again later.",
  ),
  "file-replaced": rejectionFor("LOG_FILE_REPLACED"),
  "clock-went-back": rejectionFor("CLOCK_WENT_BACK"),
  "history-changed": rejectionFor("HISTORY_CHANGED"),
  "lists-overloaded": rejectionFor("LISTS_OVERLOADED"),
};

/** The reason that one of our errors carries; undefined for an error of another make. */
export function reasonOf(error: ConnectError): Reason | undefined {
  const [info] = error.findDetails(ErrorInfoSchema);
  return info !== undefined && Object.hasOwn(reasons, info.reason)
    ? (info.reason as Reason)
    : undefined;
}

export function httpStatusOf(error: ConnectError): number {
  const reason = reasonOf(error);
  if (reason === undefined) return 500;
  return httpStatuses[reason] ?? statuses[reasons[reason][0]][1];
}

/** A detail of a refusal, of which Connect shows the JSON: that is one, however answers are. */
function detailOf<Desc extends DescMessage>(desc: Desc, value: MessageInitShape<Desc>) {
  const detail = create(desc, value);
  return { type: desc.typeName, value: toBinary(desc, detail), debug: toJson(desc, detail) };
}

/** Cuts a message to what every protocol can carry: bounded in length, without half characters. */
function trimMessage(text: string): string {
  const whole = text.toWellFormed();
  // No character has more bytes than three for each of its halves.
  if (whole.length * 3 <= refusalLimits.messageBytes) return whole;
  const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(refusalLimits.messageBytes));
  return read === whole.length ? whole : `${whole.slice(0, read)}…`;
}

function codeOf(reason: Reason): Code {
  return statuses[reasons[reason][0]][0];
}
