import ipaddr from "ipaddr.js";
import { type Address, isSpecial, isWithin, readAddress } from "./address.ts";

/** A network that may be fetched from although it is special, on one port or on all. */
export interface AllowedNetwork {
  readonly network: readonly [start: Address, prefix: number];
  readonly port?: number;
}

export type AllowList = readonly AllowedNetwork[];

/** Networks of one allow list. */
export const allowedNetworksMax = 100;

const forms = "10.1.0.0/16, 10.1.2.3/32:8443, fd00::/8 or [fd00::/8]:443";

// An IPv6 network is bracketed if a port follows, because its own colons would make that unclear.
const bracketed = /^\[([^[\]]*:[^[\]]*)\](?::(\d+))?$/;
const ipv6 = /^([^[\]]*:[^[\]]*:[^[\]]*)$/;
const ipv4 = /^([^:[\]]+)(?::(\d+))?$/;

/**
 * The allow list of `IAM_FETCH_ALLOW`: entries `CIDR[:port]` separated by commas; an address alone
 * is a network of one; empty for none. Or else what is wrong with each entry, in sentences.
 */
export function parseAllowList(
  text: string,
): { readonly allow: AllowList } | { readonly problem: string } {
  const entries = text.split(",").flatMap((entry) => entry.trim() || []);
  if (entries.length > allowedNetworksMax) {
    return { problem: `There are ${entries.length} entries; ${allowedNetworksMax} are allowed.` };
  }
  const parsed = entries.map(parseEntry);
  const problems = parsed.filter((entry) => typeof entry === "string");
  if (problems.length > 0) return { problem: problems.join(" ") };
  return { allow: parsed.filter((entry) => typeof entry !== "string") };
}

/** Whether a connection may go there: to a public address, or to one that the list allows. */
export function mayConnect(allow: AllowList, address: Address, port: number): boolean {
  if (!isSpecial(address)) return true;
  return allow.some(
    (allowed) =>
      (allowed.port === undefined || allowed.port === port) && isWithin(address, allowed.network),
  );
}

/** The network, or a sentence about what is wrong with it. */
function parseEntry(entry: string): AllowedNetwork | string {
  const match = bracketed.exec(entry) ?? ipv6.exec(entry) ?? ipv4.exec(entry);
  const [, network = "", portText] = match ?? [];
  const [start = "", prefixText] = network.split(/\/(.*)/s, 2);
  const address = readAddress(start);
  if (address === undefined || !/^\d+$/.test(prefixText ?? "0")) {
    return `"${entry}" must have a form like ${forms}.`;
  }
  if (start.includes(":") && address.kind() === "ipv4") {
    return `"${entry}" is an IPv4 network written as IPv6: write it as IPv4.`;
  }

  const bits = address.toByteArray().length * 8;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefix > bits) return `"${entry}" must have a prefix from /0 to /${bits}.`;
  if (firstOf(address, prefix) !== address.toString()) {
    return `"${entry}" has bits beyond /${prefix}: use the first address of the network.`;
  }
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) {
    return `"${entry}" must have a port from 1 to 65535.`;
  }

  return { network: [address, prefix], ...(port === undefined ? {} : { port }) };
}

function firstOf(address: Address, prefix: number): string {
  const family = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${address}/${prefix}`).toString();
}
