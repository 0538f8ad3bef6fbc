/**
 * Every refusal that a caller can meet, in one table: the stable reason that clients match on, the
 * canonical status it carries, and the sentence that says what it means and how to get past it.
 * The sentence is told unless a message of its own has data. `docs/refusals.md` is made from it.
 */
export const reasons = {
  // The caller.
  UNAUTHENTICATED: [
    "unauthenticated",
    "The call has no valid token. Send `authorization: Bearer <token>` with a token that is not expired or removed. An access token must have the scope urn:iam:org:project:id:iam:aud.",
  ],
  PERMISSION_DENIED: [
    "permission_denied",
    "The caller does not hold the permission that this call needs on this object or organization.",
  ],
  ESCALATION_DENIED: [
    "permission_denied",
    "The caller must itself hold every permission that the role or user has.",
  ],
  ORGANIZATION_INACTIVE: [
    "failed_precondition",
    "The organization is inactive: reactivate it first.",
  ],
  INSTANCE_ORGANIZATION: [
    "failed_precondition",
    "The instance belongs to this organization: it cannot be removed.",
  ],
  ORGANIZATION_HEADER_REPEATED: [
    "invalid_argument",
    "`x-service-orgid` was given more than once: send one id.",
  ],
  IDEMPOTENCY_KEY_INVALID: [
    "invalid_argument",
    "Send `idempotency-key` once, with 1 to 128 visible ASCII characters.",
  ],
  IDEMPOTENCY_KEY_REUSED: [
    "failed_precondition",
    "The caller used this `idempotency-key` with this method for another request or with another token. Use a new key for each new request.",
  ],

  // The form of the request.
  UNKNOWN_PATH: [
    "not_found",
    "No operation has this path. gRPC and gRPC-Web calls get the status 12.",
  ],
  METHOD_NOT_ALLOWED: [
    "unimplemented",
    "The path does not support this HTTP method: see the `allow` header.",
  ],
  UNSUPPORTED_MEDIA_TYPE: ["invalid_argument", "The path does not support this content type."],
  UNSUPPORTED_COMPRESSION: ["unimplemented", "Requests may be compressed only with gzip."],
  MALFORMED_REQUEST: [
    "invalid_argument",
    "The body, the path or a frame cannot be parsed as the request message.",
  ],
  INVALID_FIELDS: [
    "invalid_argument",
    "Fields break their rules; `BadRequest` lists the violations, at most the first 100.",
  ],
  TOO_MANY_ELEMENTS: [
    "invalid_argument",
    "The message has more than 4096 elements (fields and list entries): send fewer at once.",
  ],
  BODY_TOO_LARGE: [
    "resource_exhausted",
    "The message is larger than `IAM_BODY_BYTES_MAX` (16 KiB without a token), as sent or decompressed.",
  ],
  HEADERS_TOO_LARGE: [
    "resource_exhausted",
    "The header fields of the request are larger than 16 KiB.",
  ],
  EXPECTATION_FAILED: [
    "invalid_argument",
    "The header `expect` asks for something other than `100-continue`.",
  ],
  REQUESTS_UNANSWERED: [
    "resource_exhausted",
    "More than 100 requests are waiting for answers on one HTTP/1.1 connection: read answers first.",
  ],
  REQUEST_TIMEOUT: [
    "deadline_exceeded",
    "The request was not sent completely within `IAM_REQUEST_TIMEOUT_MS`.",
  ],
  DEADLINE_EXCEEDED: ["deadline_exceeded", "The deadline that the caller set has passed."],
  CANCELED: ["canceled", "The caller cancelled the call."],

  // The objects.
  PROJECT_NOT_FOUND: ["not_found", "The organization has no project with this id."],
  PROJECT_ROLE_NOT_FOUND: [
    "not_found",
    "The project has no role with this key, or the project grant does not include it.",
  ],
  PROJECT_GRANT_NOT_FOUND: ["not_found", "No grant of the project has this id."],
  ORGANIZATION_NOT_FOUND: ["not_found", "There is no other organization with this id."],
  USER_NOT_FOUND: [
    "not_found",
    "No user with this id exists in an organization where the caller may do this.",
  ],
  LAST_OWNER: [
    "failed_precondition",
    "The user is the last active owner of the instance with a token that does not expire: add another owner first.",
  ],
  MEMBER_LOCKED_OUT: [
    "failed_precondition",
    "The grant would void every credential of the person, because users with fewer rights created them, and no mail may go to the address. Set return_initialization_link, and hand the link over.",
  ],
  MEMBER_NOT_FOUND: ["not_found", "The user has no membership there."],
  SESSION_NOT_FOUND: ["not_found", "The user has no session with this id, or it has ended."],
  PASSKEY_NOT_FOUND: [
    "not_found",
    "The user has no passkey with this id, and no link to register one.",
  ],
  IDP_LINK_NOT_FOUND: ["not_found", "The user is not linked to this account there."],
  LAST_WAY_IN: [
    "failed_precondition",
    "The person could not log in without this passkey: add another one first.",
  ],
  OTP_NOT_FOUND: ["not_found", "The user has no authenticator app."],
  USER_METADATA_NOT_FOUND: ["not_found", "The user has no metadata with this key."],
  GROUP_NOT_FOUND: ["not_found", "The organization has no group with this id."],
  GROUP_GRANT_NOT_FOUND: ["not_found", "The group has no grant with this id."],
  USER_GRANT_NOT_FOUND: ["not_found", "The user has no grant with this id."],
  TOKEN_NOT_FOUND: ["not_found", "The user has no personal access token with this id."],
  IDP_NOT_FOUND: [
    "not_found",
    "No identity provider with this id exists where the caller may act.",
  ],
  IDP_IN_USE: [
    "failed_precondition",
    "Users are linked to the identity provider; the message says how many.",
  ],
  APP_NOT_FOUND: ["not_found", "The project has no application with this id."],
  APP_WITHOUT_SECRET: [
    "failed_precondition",
    "The application has another type, or its authentication method uses no client secret.",
  ],
  APP_NOT_OIDC: ["failed_precondition", "The application has no OIDC configuration to update."],
  APP_NOT_API: ["failed_precondition", "The application has no API configuration to update."],
  APP_NOT_SAML: ["failed_precondition", "The application has no SAML metadata to update."],
  APP_WITHOUT_KEYS: [
    "failed_precondition",
    "Only clients with the method PRIVATE_KEY_JWT have keys.",
  ],
  KEY_NOT_FOUND: ["not_found", "The application or machine has no key with this id."],
  ACTION_FAILED: ["failed_precondition", "An action failed: correct it, or allow it to fail."],
  ACTION_NOT_FOUND: ["not_found", "The organization has no action with this id."],
  POLICY_NOT_FOUND: ["not_found", "The organization has no policy of its own of this kind."],
  POLICY_EXISTS: [
    "already_exists",
    "The organization has a policy of its own of this kind already: update it.",
  ],
  NO_WAY_IN: [
    "failed_precondition",
    "Nobody could log in: allow passwords or passkeys, and a second factor that people can set up where one is forced.",
  ],
  IDP_NOT_OIDC: [
    "failed_precondition",
    "The identity provider has no OIDC configuration to update.",
  ],
  IDP_OTHER_TEMPLATE: ["failed_precondition", "The identity provider has another template."],
  IDP_NOT_USABLE: [
    "failed_precondition",
    "An identity provider does not exist, or is not available to the organization.",
  ],
  IDP_LINK_TAKEN: [
    "already_exists",
    "Another user is linked to this account at the identity provider.",
  ],
  ENTITY_ID_TAKEN: [
    "already_exists",
    "Another SAML application of the instance has this entity ID.",
  ],
  METADATA_INVALID: [
    "invalid_argument",
    "The SAML metadata breaks a rule; the message says which and where.",
  ],
  METADATA_NOT_FETCHED: [
    "failed_precondition",
    "The SAML metadata could not be fetched; the message says why.",
  ],
  IMAGE_INVALID: [
    "invalid_argument",
    "The file is not a PNG, JPEG or WebP image that may be uploaded; the message says why.",
  ],
  IMAGE_NOT_FOUND: ["not_found", "The label policy has no image of this kind and theme."],
  TOO_MANY_UPLOADS: [
    "resource_exhausted",
    "Images were uploaded too often in a day; the message says when to retry.",
  ],
  NOTHING_CHANGED: ["failed_precondition", "The call would change nothing."],
  USER_NOT_HUMAN: ["failed_precondition", "The user is a machine, which has no phone."],
  USER_NOT_MACHINE: ["failed_precondition", "The user is a person: only machines have this."],
  SECRET_MISSING: ["failed_precondition", "The machine has no client secret."],
  USER_INITIALIZED: ["failed_precondition", "The person has already taken over the account."],
  USER_NOT_INITIALIZED: ["failed_precondition", "The person has yet to take over the account."],
  EMAIL_MISSING: ["failed_precondition", "The user has no e-mail address that mails may go to."],
  USER_HOLDS_ROLES: ["failed_precondition", "The user holds roles: take them away first."],
  RESET_IMPOSSIBLE: [
    "failed_precondition",
    "The user has no password to reset, no verified e-mail address, has yet to take over the account, or is inactive or locked.",
  ],
  TOO_MANY_DOWNLOADS: [
    "resource_exhausted",
    "The personal data of the user was read too often in a day; the message says when to retry.",
  ],
  PHONE_MISSING: ["failed_precondition", "The user has no phone number."],
  CODE_INVALID: [
    "invalid_argument",
    "The code is wrong, expired, already used or not pending: request a new one.",
  ],
  PASSKEY_INVALID: [
    "invalid_argument",
    "The passkey was not created with the options that this service issued for this code.",
  ],
  PASSKEY_TAKEN: ["already_exists", "The passkey is already registered."],
  CODE_TOO_SOON: ["resource_exhausted", "The last code was created less than 30 s ago."],
  TOO_MANY_SMS: [
    "resource_exhausted",
    "The daily SMS limit of the number or the organization is used up; the message says when to retry.",
  ],
  TOO_MANY_MAILS: ["resource_exhausted", "Too many mails a day; the message says when to retry."],
  NAME_TAKEN: ["already_exists", "Another object of the same scope has this name, ignoring case."],
  PROJECT_ROLE_EXISTS: ["already_exists", "The project already has a role with this key."],
  PROJECT_GRANT_EXISTS: ["already_exists", "The organization was already granted the project."],
  USER_GRANT_EXISTS: ["already_exists", "The user has a grant for this project: update it."],
  GROUP_GRANT_EXISTS: ["already_exists", "The group has a grant for this project: update it."],
  MEMBER_EXISTS: ["already_exists", "The user is already a member there."],
  LIMIT_REACHED: ["resource_exhausted", "The object already has the maximum number of these."],
  RESUME_TOKEN_OUTDATED: [
    "failed_precondition",
    "The log does not continue from the position of the resume token, because events that were sent are lost. Read the log again from an earlier position.",
  ],
  CHANGED_MEANWHILE: [
    "aborted",
    "The object has another sequence than expected: read it again, and decide anew.",
  ],
  CONFLICT: ["aborted", "Other calls kept changing the same objects: repeat the call."],
  PAGE_TOO_LARGE: ["resource_exhausted", "The page is larger than 16 MiB: ask for fewer entries."],
  LISTS_OVERLOADED: ["resource_exhausted", "Too many lists are waiting. Try again later."],
  SEARCH_TOO_LONG: [
    "resource_exhausted",
    "The search takes longer than 5 seconds. Use fewer conditions, equals or starts-with comparisons, or a page token instead of an offset.",
  ],

  // The service.
  TOO_MANY_WATCHES: ["resource_exhausted", "Too many watches are open. Try again later."],
  TOO_MANY_OPEN_CALLS: [
    "resource_exhausted",
    "Too many calls without a token are open, in total or from this caller. Try again later.",
  ],
  TOO_MANY_CALLS: [
    "resource_exhausted",
    "The caller or its address makes more calls than allowed; the message says when to retry.",
  ],
  HASHING_OVERLOADED: [
    "resource_exhausted",
    "Too many passwords are waiting to be hashed. Try again later.",
  ],
  KEYS_OVERLOADED: ["resource_exhausted", "Too many keys wait to be created. Try again later."],
  BODIES_OVERLOADED: [
    "resource_exhausted",
    "Too many bytes of request bodies are being received. Try again later.",
  ],
  ANSWERS_OVERLOADED: [
    "resource_exhausted",
    "The call was carried out, but too many responses are waiting to be read. Read them, then ask for the result.",
  ],
  SERVICE_NOT_FOUND: [
    "not_found",
    "The health check names a service that this server does not have.",
  ],
  SHUTTING_DOWN: ["unavailable", "The server is stopping: repeat the call on a new connection."],
  UNAVAILABLE: [
    "unavailable",
    "The event log or a master key is unavailable now. Try again later.",
  ],
  OUTCOME_UNKNOWN: [
    "unknown",
    "The storage failed while the change was being written, so the change may exist or not. Repeat the call with its `idempotency-key`, or check first whether the change exists.",
  ],
  LOG_FILE_REPLACED: [
    "unavailable",
    "The file of the log was removed or replaced while the service ran. The operator must repair this.",
  ],
  CLOCK_WENT_BACK: [
    "unavailable",
    "The clock of the service is behind its log. The operator must set the clock or accept it.",
  ],
  HISTORY_CHANGED: [
    "unavailable",
    "The event log is not the one that the service wrote. The service writes nothing until the operator has checked the log.",
  ],
  INTERNAL: ["internal", "A defect of the service; the message has the id of the log line."],
} as const satisfies { readonly [reason: string]: readonly [string, string] };

/** The name of a refusal. */
export type Reason = keyof typeof reasons;

/** The canonical status codes of google.rpc that the service answers. */
export type Status = (typeof reasons)[Reason][0];
