import type { DescMethod } from "@bufbuild/protobuf";
import { flagOf } from "../src/config/config.ts";
import { settings } from "../src/config/settings.ts";
import { nouns } from "../src/domain/nouns.ts";
import { roles } from "../src/domain/permission.ts";
import { failure, httpStatusOf } from "../src/gateway/call/errors.ts";
import { conventions, families } from "../src/metrics/families.ts";
import { type Reason, reasons } from "../src/reason.ts";
import { bindingOf, type Contract, commentOf } from "./contract.ts";
import { bounds } from "./limits.ts";

/** The documents that are made, by their paths. */
export function documents(contract: Contract): Readonly<Record<string, string>> {
  return {
    "docs/operations.md": operations(contract),
    "docs/refusals.md": refusals(),
    "docs/settings.md": settingsText(),
    "docs/events.md": events(),
    "docs/limits.md": limits(contract),
    "docs/metrics.md": metrics(),
  };
}

/** Says in the source of each document, and not to those who read it, where it comes from. */
const made = (source: string) => `<!-- Made by "make generate" from ${source}. -->`;

function operations(contract: Contract): string {
  const services = contract.services.map((service) => {
    const rows = service.methods
      .map((method) => ({ method, binding: bindingOf(method, contract) }))
      .sort((a, b) => compare(sortKey(a.binding.rest), sortKey(b.binding.rest)))
      .map(({ method, binding }) => [
        `\`${method.name}\``,
        summaryOf(commentOf(method), method.name) + (method.deprecated ? " (deprecated)" : ""),
        binding.rest === "" ? "–" : `\`${binding.rest}\``,
        binding.permissions.map((permission) => `\`${permission}\``).join(" or "),
        binding.organizationHeader ? "yes" : "–",
      ]);
    const heads = ["Operation", "What it does", "REST path", "Permission", "`x-service-orgid`"];
    return [`## ${service.typeName}`, commentOf(service), table(heads, rows)].join("\n\n");
  });
  const rolesTable = table(
    ["Role", "Held at", "Permissions"],
    Object.entries(roles).map(([role, { level, permissions }]) => [
      `\`${role}\``,
      level,
      permissions.length === roles.IAM_OWNER.permissions.length
        ? "all of them"
        : permissions.map((permission) => `\`${permission}\``).join(", "),
    ]),
  );
  return document([
    made("proto/iam and src/domain/permission.ts"),
    "# Operations",
    `[calls.md](calls.md) says how to call them, under the RPC path \`/<service>/<operation>\`
or the REST path. Requests and answers stand with comments in [\`proto/iam\`](../proto/iam),
and in short in [\`contract.txt\`](../contract.txt). Where the last column says yes, the header
\`x-service-orgid\` chooses the organization that the call acts on. An entry marked deprecated is
there for clients that know it: [providers.md](providers.md) has the calls in its place.`,
    ...services,
    "## Roles",
    "A role is held at the instance, in an organization or on a project, and reaches into " +
      "all below.",
    rolesTable,
  ]);
}

function refusals(): string {
  const rows = Object.entries(reasons).map(([reason, [status, meaning]]) => {
    const error = failure({ reason: reason as Reason, message: "" });
    const http = httpStatusOf(error);
    return [`\`${reason}\``, `${error.code} ${status.toUpperCase()}`, `${http}`, meaning];
  });
  return document([
    made("src/reason.ts"),
    "# Refusals",
    "[calls.md](calls.md) says how they are told.",
    table(["Reason", "gRPC status", "HTTP status", "Meaning"], rows),
  ]);
}

function settingsText(): string {
  const rows = Object.values(settings).map(({ name, default: value, meaning }) => [
    `\`${name}\``,
    `\`${flagOf(name)}\``,
    value === "" ? "" : `\`${value}\``,
    meaning,
  ]);
  const secrets = Object.values(settings)
    .filter((setting) => "isSecret" in setting && setting.isSecret)
    .map(({ name }) => `\`${name}\``);
  return document([
    made("src/config/settings.ts"),
    "# Settings",
    `Flags win over the environment, which wins over the defaults: \`IAM_PORT=8090 make run\`, or
\`npm start -- --port 8090\`. Give secrets (${secrets.join(", ")})
in the environment: every user of the machine can read the flags of a process.`,
    table(["Setting", "Flag", "Default", "Meaning"], rows),
  ]);
}

function limits(contract: Contract): string {
  const all = bounds();
  const sections = [...new Set(all.map(({ title }) => title))].map((title) => {
    const rows = all
      .filter((bound) => bound.title === title)
      .map(({ what, name, value, past }) => [
        what,
        `\`${name}\``,
        numberOf(value, /bytes/i.test(name)),
        past,
      ]);
    return [`## ${title}`, table(["Bound", "Name", "Default", "Past it"], rows)].join("\n\n");
  });
  const calls = contract.services.flatMap((service) => {
    const isOpen = service.methods.some((method) => isPublic(method, contract));
    const size = isOpen ? "openBodyBytesMax" : "bodyBytesMax";
    const held = (method: DescMethod) => {
      if (method.methodKind !== "unary") return "`watches`";
      return isPublic(method, contract) ? "`openCallsMax`" : "–";
    };
    return service.methods.map((method) => [
      `\`${service.typeName}/${method.name}\``,
      `\`${size}\``,
      held(method),
    ]);
  });
  return document([
    made("generate/limits.ts, src/ and proto/iam"),
    "# Limits",
    `Everything that callers can make grow has a bound, and so has the work that they can cause.
Bounds hold per process. Bounds of one connection and one address do not apply to this machine.
Behind \`IAM_TRUSTED_PROXIES\` they apply to the callers that the proxies name. IPv6 addresses count
by their /64. If several processes share the port, each has its share of a total.

Mails and SMS per day are counted in the log, for all processes together. A full quota may be used
at once; it then refills evenly over a day.

The lines of the program's own log have no bound: each call and each refusal writes one. Bound the
files that keep them, or set \`IAM_LOG_LEVEL=warn\`.`,
    ...sections,
    "## Calls",
    `A message also has at most \`elements\` elements, and its answer counts against
\`answersBytesMax\`. Refusals and answers without a token count against \`unreadBytesMax\`.
[\`contract.txt\`](../contract.txt) has the bounds of each field.`,
    table(["Call", "Bytes of a message", "Open at a time"], calls),
  ]);
}

function metrics(): string {
  const rows = Object.values(families).map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(", ") || "–",
    help,
  ]);
  return document([
    made("src/metrics/families.ts"),
    "# Metrics",
    `[operate.md](operate.md#metrics) says how to turn them on. Names follow OpenTelemetry's
semantic conventions ${conventions}, as Prometheus writes them: \`rpc.server.call.duration\` is
\`rpc_server_call_duration_seconds\`. What the conventions do not have begins with \`iam_\`.`,
    table(["Metric", "Type", "Labels", "What it says"], rows),
    `A histogram has \`_bucket\`, \`_sum\` and \`_count\`. A metric whose value is unknown is left
out, and one with labels appears with its first value. Each metric has a bounded number of series
([limits.md](limits.md)). Values past the bound count for one series more, whose labels are all
\`other\`. An application is named by its client id. The 100 with the most logins since the start
have series of their own; logins of all others count for \`other\`. No label has the name or the id
of a person.`,
  ]);
}

function isPublic(method: DescMethod, contract: Contract): boolean {
  return bindingOf(method, contract).permissions.includes("public");
}

/** A number with its thousands set apart; one of bytes as the power of 1024 that it is of. */
function numberOf(value: number, isBytes: boolean): string {
  if (!Number.isFinite(value)) return "none";
  if (!isBytes) return value.toLocaleString("en-US");
  const mebibyte = 1024 * 1024;
  if (value % mebibyte === 0) return `${value / mebibyte} MiB`;
  if (value % 1024 === 0) return `${value / 1024} KiB`;
  return value.toLocaleString("en-US");
}

function events(): string {
  const sections = [...nouns].map(({ kind, events: meanings }) => {
    const rows = Object.entries(meanings).map(([type, meaning]) => [`\`${type}\``, meaning]);
    return [`## ${kind}`, table(["Event", "What happened"], rows)].join("\n\n");
  });
  return document([
    made("src/domain/"),
    "# Events",
    `What \`ListEvents\` and \`WatchEvents\` answer, and what the log keeps, by the kind of thing
that it happened to (\`aggregate.type\`). Types are forever: a new meaning gets a new type. What an
application did for somebody has its client id in the payload, as \`through\`. The service answers a
JSON Schema of all payloads at \`/events.schema.json\`.`,
    ...sections,
  ]);
}

/**
 * The first sentence of a comment that begins with the name of what it is about; and that it has no
 * effect yet, where another one says so.
 */
function summaryOf(comment: string, name: string): string {
  const [sentence = "", ...others] = comment.split(/\.(?:\s|$)/);
  const yet = others.find((one) => one.startsWith("It has no effect yet:"));
  if (!sentence.startsWith(`${name} `)) {
    throw new TypeError(`the comment of ${name} does not begin with its name`);
  }
  const rest = sentence.slice(name.length + 1);
  const summary = rest.charAt(0).toUpperCase() + rest.slice(1);
  return yet === undefined ? summary : `${summary}. ${yet}`;
}

/** Sorts by path, then by verb; what has no path comes last. */
function sortKey(rest: string): string {
  const [verb = "", path = "~"] = rest.split(" ");
  return `${path} ${verb}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function document(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
