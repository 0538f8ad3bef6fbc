import { isLoopback } from "../../text/http-url.ts";

/** How TLS is used, as libpq has it. Its others, which may go without, are refused. */
const modes = ["disable", "require", "verify-ca", "verify-full"];

/** What the query of a URL may say. Of anything else nobody would know that it does nothing. */
const known = ["sslmode", "sslrootcert", "sslcert", "sslkey", "application_name", "options"];

/**
 * The URL of a database as the driver takes it, or what it has to be, in words that follow "must
 * be" and without it: it may have a password.
 *
 * TLS is as `sslmode` says. Where nothing is said of TLS there is none on this machine, be it by a
 * Unix socket or by loopback, and to all others it is that of `verify-full`.
 */
export function readDatabaseUrl(
  text: string,
): { readonly url: string } | { readonly problem: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(?:ql)?:\/\/[^/]/.test(text) || url.hostname === "") {
    return { problem: "a URL like postgres://user:password@host:5432/name" };
  }
  const { hostname, searchParams } = url;
  const names = [...searchParams.keys()];
  if (!names.every((name, i) => known.includes(name) && names.indexOf(name) === i)) {
    return { problem: `a URL with no parameters except ${known.join(", ")}, each at most once` };
  }
  const isHere = /^%2f/i.test(hostname) || isLoopback(hostname.toLowerCase());
  const isBare = !names.some((name) => name.startsWith("ssl"));
  const mode = searchParams.get("sslmode") ?? (isHere && isBare ? "disable" : "verify-full");
  if (!modes.includes(mode)) {
    return { problem: `a URL whose sslmode is one of ${modes.join(", ")}` };
  }
  if (mode === "verify-ca" && !searchParams.has("sslrootcert")) {
    return { problem: "a URL with sslrootcert if sslmode is verify-ca" };
  }
  searchParams.set("sslmode", mode);
  searchParams.set("uselibpqcompat", "true");
  return { url: url.href };
}
