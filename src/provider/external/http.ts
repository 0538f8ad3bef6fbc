import type { CustomFetch } from "openid-client";
import { FetchFailed } from "../../fetch/failed.ts";
import type { Send } from "../../fetch/fetcher.ts";
import { ExternalFailed } from "./protocol.ts";

/** The bounds on one answer of a provider: what is remembered of it takes little memory. */
export const answerLimits = {
  /** Bytes of its body. */
  bytes: 256 * 1024,
  /** Values in it: each `,`, `[` and `{` is counted, also inside of texts. */
  values: 4_000,
} as const;

/** Has a library send its requests through the guarded fetcher, for an organization. */
export function fetchBy(send: Send, organization: string): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    if (method !== "GET" && method !== "POST") throw new TypeError(`no request has ${method}`);
    const {
      status,
      mediaType,
      body: answered,
    } = await send(url, {
      ...{ organization, method, headers: Object.fromEntries(new Headers(headers)) },
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    checkSize(answered);
    // A response with one of these may have no body, not even an empty one.
    const content = [204, 205, 304].includes(status) ? null : Buffer.from(answered);
    const about = mediaType === "" ? {} : { headers: { "content-type": mediaType } };
    return new Response(content, { status, ...about });
  };
}

/** Throws where an answer is too large, before anything is made of it. */
function checkSize(answered: Uint8Array): void {
  const { bytes, values } = answerLimits;
  if (answered.length > bytes) {
    throw new ExternalFailed("UNUSABLE", `an answer has more than ${bytes} bytes`);
  }
  const count = Buffer.from(answered)
    .toString("latin1")
    .replace(/[^,[{]+/g, "").length;
  if (count > values) {
    const what = "commas, square and curly brackets";
    throw new ExternalFailed("UNUSABLE", `an answer has more than ${values} ${what}`);
  }
}

/** Why no login comes of a request, by what a library rejected with. */
export function failedBy(error: unknown): ExternalFailed {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ExternalFailed) return cause;
    if (cause instanceof FetchFailed) {
      const isUnusable = cause.reason === "ANSWER_UNUSABLE";
      return new ExternalFailed(isUnusable ? "UNUSABLE" : "UNREACHABLE", cause.message);
    }
  }
  // What a library says of itself is a word; what the provider said is one of those that it may.
  const { error: said, code } = error as { readonly error?: unknown; readonly code?: unknown };
  const word = errors.find((one) => one === said);
  if (word !== undefined) {
    return new ExternalFailed(denials.includes(word) ? "DENIED" : "UNUSABLE", word);
  }
  const text = typeof code === "string" && /^[A-Z_]{1,64}$/.test(code) ? code : "of another kind";
  return new ExternalFailed("UNUSABLE", `the answer is refused: ${text}`);
}

/** The errors of which people at the provider are the reason (OpenID Connect Core 1.0, 3.1.2.6). */
const denials = [
  "access_denied",
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
] as readonly string[];

/** Those, and others that providers say (RFC 6749, 4.1.2.1 and 5.2). */
const errors = [
  ...denials,
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_token",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  // GitHub has words of its own.
  "bad_verification_code",
  "incorrect_client_credentials",
  "redirect_uri_mismatch",
  "unverified_user_email",
] as const;
