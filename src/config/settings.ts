import { type Alias, aliases } from "../alias.ts";
import type { AllowList } from "../fetch/allow.ts";
import {
  type Mailbox,
  parseMailbox,
  parseSmtpUrl,
  type SmtpServer,
} from "../notify/channel/email.ts";
import { isWebhookUrl, smsKeyCharactersMin } from "../notify/channel/sms.ts";
import type { Network } from "../port/peer.ts";
import type { Key } from "../secrets/keys.ts";
import { readDatabaseUrl } from "../store/postgres/url.ts";
import { isAnchorUrl, isHost, isPublicUrl } from "./address.ts";
import { limitSettings } from "./limit-settings.ts";
import {
  allowList,
  flag,
  hosts,
  Invalid,
  integer,
  masterKeys,
  networks,
  origins,
  processCount,
  type Setting,
} from "./setting.ts";

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Every setting of the service. `docs/settings.md` is made from it. */
export const settings = {
  host: {
    name: "IAM_HOST",
    default: "127.0.0.1",
    meaning: "Address to listen on",
    parse: (text) => (isHost(text) ? text : new Invalid("an IP address or a host name")),
  } satisfies Setting<string>,
  port: {
    name: "IAM_PORT",
    default: "8080",
    meaning: "Port to listen on; 0 takes any free port",
    parse: integer(0, 65_535),
  } satisfies Setting<number>,
  metricsAddress: {
    name: "IAM_METRICS_ADDRESS",
    default: "127.0.0.1",
    meaning: "Address of the port of metrics, to which everybody who reaches it has access",
    parse: (text) => (isHost(text) ? text : new Invalid("an IP address or a host name")),
  } satisfies Setting<string>,
  metricsPort: {
    name: "IAM_METRICS_PORT",
    default: "",
    meaning: "Port that serves metrics to Prometheus at /metrics; 0 takes any; none when empty",
    parse: (text) => (text === "" ? undefined : integer(0, 65_535)(text)),
  } satisfies Setting<number | undefined>,
  processes: {
    name: "IAM_PROCESSES",
    default: "1",
    meaning: "Processes that serve the port together; auto means one per core",
    parse: processCount,
  } satisfies Setting<number>,
  dataDir: {
    name: "IAM_DATA_DIR",
    default: "./data",
    meaning: "Directory of the event log and the first token; created with mode 0700",
    parse: (text) => text || new Invalid("a directory"),
  } satisfies Setting<string>,
  databaseUrl: {
    name: "IAM_DATABASE_URL",
    default: "",
    meaning: "PostgreSQL for the event log: postgres://user:password@host/name; a file when empty",
    isSecret: true,
    parse: (text) => {
      if (text === "") return text;
      const read = readDatabaseUrl(text);
      return "problem" in read ? new Invalid(read.problem) : text;
    },
  } satisfies Setting<string>,
  tlsCert: {
    name: "IAM_TLS_CERT",
    default: "",
    meaning: "PEM file with the certificate and its chain; enables TLS; reloaded on SIGHUP",
    parse: (text) => text,
  } satisfies Setting<string>,
  tlsKey: {
    name: "IAM_TLS_KEY",
    default: "",
    meaning: "PEM file with the private key of the certificate, without a password",
    parse: (text) => text,
  } satisfies Setting<string>,
  publicUrl: {
    name: "IAM_PUBLIC_URL",
    default: "",
    meaning: "URL of the service for links in mails; localhost or the listening address when empty",
    parse: (text) =>
      text === "" || isPublicUrl(text)
        ? text.replace(/\/$/, "")
        : new Invalid("an http or https URL without query and fragment"),
  } satisfies Setting<string>,
  masterKeys: {
    name: "IAM_MASTER_KEY",
    default: "",
    meaning: "Master keys for secrets in the log: id:base64, newest first; generated when empty",
    isSecret: true,
    parse: masterKeys,
  } satisfies Setting<readonly [Key, ...Key[]] | undefined>,
  anchorUrl: {
    name: "IAM_ANCHOR_URL",
    default: "",
    meaning: "Second place for the head of the log: file:///path or a webhook; none when empty",
    isSecret: true,
    parse: (text) =>
      text === "" || isAnchorUrl(text) ? text : new Invalid("file:///an/absolute/path or http(s)"),
  } satisfies Setting<string>,
  fetchAllow: {
    name: "IAM_FETCH_ALLOW",
    default: "",
    meaning:
      "Private networks that callers' URLs (providers, SAML, logout) may reach: CIDR[:port], comma-separated",
    parse: allowList,
  } satisfies Setting<AllowList>,
  fetchHttp: {
    name: "IAM_FETCH_HTTP",
    default: "false",
    meaning:
      "Whether URLs of providers, SAML metadata and logouts may also use http: true or false",
    parse: flag,
  } satisfies Setting<boolean>,
  actionsHttp: {
    name: "IAM_ACTIONS_HTTP",
    default: "",
    meaning:
      "Hosts that scripts of actions may ask, comma-separated: api.example.com; none when empty",
    parse: hosts,
  } satisfies Setting<readonly string[]>,
  smtp: {
    name: "IAM_SMTP_URL",
    default: "",
    meaning: "Mail server: smtp(s)://user:password@host:port; mails become files when empty",
    isSecret: true,
    parse: (text) => {
      if (text === "") return undefined;
      const parsed = parseSmtpUrl(text);
      return "server" in parsed ? parsed.server : new Invalid(parsed.problem);
    },
  } satisfies Setting<SmtpServer | undefined>,
  smtpFrom: {
    name: "IAM_SMTP_FROM",
    default: "iam@localhost",
    meaning: "Sender address of mails",
    parse: (text) => parseMailbox(text) ?? new Invalid("one address like iam@example.com"),
  } satisfies Setting<Mailbox>,
  smsUrl: {
    name: "IAM_SMS_URL",
    default: "",
    meaning: "Webhook that sends SMS, signed with IAM_SMS_KEY; SMS become files when empty",
    isSecret: true,
    parse: (text) => (text === "" || isWebhookUrl(text) ? text : new Invalid("an http(s) URL")),
  } satisfies Setting<string>,
  smsKey: {
    name: "IAM_SMS_KEY",
    default: "",
    meaning: "Key that signs requests to the SMS webhook: at least 32 characters",
    isSecret: true,
    parse: (text) =>
      text === "" || text.length >= smsKeyCharactersMin
        ? text
        : new Invalid("at least 32 characters"),
  } satisfies Setting<string>,
  trustedProxies: {
    name: "IAM_TRUSTED_PROXIES",
    default: "",
    meaning: "Proxies whose x-forwarded-for names the caller: addresses and CIDR, comma-separated",
    parse: networks,
  } satisfies Setting<readonly Network[]>,
  cleartext: {
    name: "IAM_CODES_IN_CLEARTEXT",
    default: "false",
    meaning: "Whether mails and SMS with codes may be sent without TLS: true or false",
    parse: flag,
  } satisfies Setting<boolean>,
  actionsTokens: {
    name: "IAM_ACTIONS_TOKENS",
    default: "false",
    meaning: "Whether actions are told the tokens of identity providers: true or false",
    parse: flag,
  } satisfies Setting<boolean>,
  eventNetworks: {
    name: "IAM_EVENT_NETWORKS",
    default: "true",
    meaning: "Whether login events store the network (/24, /48) forever: true or false",
    parse: flag,
  } satisfies Setting<boolean>,
  retainLogins: {
    name: "IAM_RETAIN_LOGINS",
    default: "",
    meaning:
      "Days after which events of logins, failures and sessions are erased; never when empty",
    parse: (text) => (text === "" ? undefined : integer(1, 36_500)(text)),
  } satisfies Setting<number | undefined>,
  alias: {
    name: "IAM_ALIAS",
    default: "",
    meaning: `Further name, for clients of the compatible API: ${aliases.join(", ")}; none when empty`,
    parse: (text) =>
      text === ""
        ? undefined
        : (aliases.find((alias) => alias === text) ??
          new Invalid(`${aliases.join(", ")} or empty`)),
  } satisfies Setting<Alias | undefined>,
  corsOrigins: {
    name: "IAM_CORS_ORIGINS",
    default: "",
    meaning: "Origins whose pages may call the service, comma-separated; none when empty",
    parse: origins,
  } satisfies Setting<readonly string[]>,
  logLevel: {
    name: "IAM_LOG_LEVEL",
    default: "info",
    meaning: `Lowest level that is logged: ${logLevels.join(", ")}`,
    parse: (text) =>
      logLevels.find((level) => level === text) ?? new Invalid(`one of ${logLevels.join(", ")}`),
  } satisfies Setting<(typeof logLevels)[number]>,
  ...limitSettings,
};
