import { BlockList, isIPv4, isIPv6 } from "node:net";

/** An IP address in its one spelling; an IPv6 address that only wraps an IPv4 one is that one. */
export interface Address {
  readonly family: "ipv4" | "ipv6";
  readonly text: string;
  /** 4 or 16 bytes, the most significant one first. */
  readonly bytes: readonly number[];
}

/**
 * IPv4 that is not public: loopback, private, link-local, shared (RFC 6598), protocol assignments,
 * documentation, benchmarks, the 6to4 relay, multicast, reserved and broadcast (IANA registry of
 * special-purpose addresses, RFC 6890).
 */
const specialIPv4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

/**
 * All of IPv6 that is assigned for global unicast. What lies outside needs no list of its own, and
 * ranges that become special tomorrow are covered: ::, ::1, ::/96, 64:ff9b:1::/48, 100::/64,
 * fc00::/7, fe80::/10, fec0::/10, ff00::/8.
 */
const globalIPv6 = blockList("ipv6", [["2000::", 3]]);

/**
 * Protocol assignments with Teredo and ORCHID, documentation (twice), and 6to4, which leads to any
 * IPv4 address by way of relays that are switched off (RFC 7526).
 */
const specialIPv6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Six groups of IPv6 after which an IPv4 address follows: IPv4-mapped, and NAT64 (RFC 6052). */
const wrappers = ["0:0:0:0:0:ffff", "64:ff9b:0:0:0:0"];

/**
 * The address that a text spells, or undefined where it is none. An IPv6 zone (`fe80::1%eth0`)
 * names a network card of this machine, so nobody outside has a reason to give one: no address.
 */
export function readAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: "ipv4", text, bytes: text.split(".").map(Number) };
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const groups = groupsOf(text);
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]);
  const start = groups.slice(0, 6).map((group) => group.toString(16));
  if (wrappers.includes(start.join(":"))) {
    const inner = bytes.slice(12);
    return { family: "ipv4", text: inner.join("."), bytes: inner };
  }
  return { family: "ipv6", text, bytes };
}

/** Whether an address is anything but a public one that leads out of this network. */
export function isSpecial({ family, text }: Address): boolean {
  if (family === "ipv4") return specialIPv4.check(text, "ipv4");
  return !globalIPv6.check(text, "ipv6") || specialIPv6.check(text, "ipv6");
}

/** The eight groups of an IPv6 address; WHATWG URLs write it without dots and with one `::`. */
function groupsOf(ipv6: string): readonly number[] {
  const [head = "", tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split("::");
  const before = numbers(head);
  if (tail === undefined) return before;
  const after = numbers(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function numbers(groups: string): readonly number[] {
  return groups === "" ? [] : groups.split(":").map((group) => Number.parseInt(group, 16));
}

function blockList(
  family: "ipv4" | "ipv6",
  subnets: readonly (readonly [network: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
