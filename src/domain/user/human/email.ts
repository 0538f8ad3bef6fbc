import { hasUnseen } from "../../../text/visible.ts";
import type { Problem } from "../../decision.ts";

/** Bytes of UTF-8 before the `@` (RFC 5321, 4.5.3.1.1). */
const localBytesMax = 64;
/** Characters of a host and of one label of it, as DNS writes them (RFC 1035, 2.3.4). */
const hostCharactersMax = 253;
const labelCharactersMax = 63;

/**
 * What may stand before the `@`: nothing that mail programs would read as a name, a list or a
 * second header, as an address at another host (`%` and `!`, RFC 5321, F.2), or decode (`=?`, RFC
 * 2047).
 */
const local = /^(?!.*=\?)[^\p{Cs}@<>(),;:\\"[\]%!]+$/u;

/** Letters, with the marks that some scripts need, digits, dots and hyphens. */
const host = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}.-]*[\p{L}\p{N}\p{M}])?$/u;

/** The rule of one plain e-mail address. Whether it exists is found out by the mail. */
export function emailProblem(email: string): Problem {
  const at = email.lastIndexOf("@");
  const [name, hostname] = [email.slice(0, Math.max(at, 0)), email.slice(at + 1)];
  // Mail programs unify compatibility forms, before they look at what stands there or behind that.
  const isLocal = [name, name.normalize("NFKC")].every((form) => local.test(form));
  const isFormed = isLocal && host.test(hostname) && !hasUnseen(email);
  const labelsFit = !email.includes("..") && !/^\.|\.@|@.*(?:\.-|-\.)/.test(email);
  const localFits = new TextEncoder().encode(name).length <= localBytesMax;
  return isFormed && labelsFit && localFits && isHostName(hostname)
    ? undefined
    : "must be one e-mail address, for example ada@example.com";
}

/** Whether mail goes to the host that is written there, and that is a name and no address. */
function isHostName(hostname: string): boolean {
  // What changes where compatibility forms are unified would lead to another host.
  if (hostname.normalize("NFKC") !== hostname || !URL.canParse(`http://${hostname}/`)) return false;
  // The form that DNS has (UTS 46); numbers in whatever notation have become an address.
  const ascii = new URL(`http://${hostname}/`).hostname;
  const labels = ascii.split(".");
  return (
    ascii.length <= hostCharactersMax &&
    labels.every(({ length }) => length <= labelCharactersMax) &&
    !/^\d+$/.test(labels.at(-1) ?? "")
  );
}
