import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IP address; an IPv6 address that only wraps an IPv4 one is that one. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What IPv4 addresses are wrapped in: IPv4-mapped, and NAT64 (RFC 6052). */
const wrappers = [ipaddr.IPv6.parseCIDR("::ffff:0:0/96"), ipaddr.IPv6.parseCIDR("64:ff9b::/96")];

/**
 * All of IPv6 that is assigned for global unicast. Whatever lies outside is special, so ranges that
 * become so tomorrow are covered, and those that `range()` takes for public, like ::/96.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * The address that a text spells, or undefined where it is none. An IPv6 zone (`fe80::1%eth0`)
 * names a network card of this machine, so nobody outside has a reason to give one: no address.
 */
export function readAddress(text: string): Address | undefined {
  // The parser of the library reads more, like 127.1, and `::8.8.8.8` as if it were IPv4-mapped:
  // it is given what is an address to the system too, and IPv6 without dots, as URLs write it.
  const family = text.includes("%") ? 0 : isIP(text);
  if (family === 0) return undefined;
  const address = ipaddr.parse(
    family === 4 ? text : new URL(`http://[${text}]`).hostname.slice(1, -1),
  );
  const isWrapped = wrappers.some((wrapper) => isWithin(address, wrapper));
  return isWrapped ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/**
 * Whether an address is anything but a public one that leads out of this network: loopback,
 * private, link-local, shared, documentation, multicast, tunnels and the rest of IANA's registries
 * of special-purpose addresses (RFC 6890).
 */
export function isSpecial(address: Address): boolean {
  if (address.range() !== "unicast") return true;
  return address.kind() === "ipv6" && !isWithin(address, globalUnicast);
}

/** Whether an address is one of a network, which is one of its own family. */
export function isWithin(
  address: Address,
  network: readonly [start: Address, prefix: number],
): boolean {
  return address.kind() === network[0].kind() && address.match(...network);
}
