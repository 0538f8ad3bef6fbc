import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** Who a share is counted for. What has no share of its own has neither of the two. */
export interface Peer {
  /** Stands for the connection. */
  readonly connection: object | undefined;
  /** The IPv4 address, the /64 of the IPv6 address, or `unreadableAddress`. */
  readonly address: string | undefined;
}

/** What all have together of whom a proxy says something that is no address, or is not believed. */
export const unreadableAddress = "unknown";

/** A peer that is counted in all, and has no share of its own. */
export const unsharedPeer: Peer = { connection: undefined, address: undefined };

/** Tells peers apart. */
export interface Peers {
  /** What the address of a connection counts for; undefined where it has no share of its own. */
  addressOf(remote: string | undefined): string | undefined;
  /** Who sends a request: the peer, or the caller that a trusted proxy names. */
  senderOf(connection: object, remote: string | undefined, forwardedFor: Forwarded): Peer;
  /**
   * The whole address that a request comes from, found in the same way; undefined where what is
   * said of it is none.
   */
  fromOf(remote: string | undefined, forwardedFor: Forwarded): string | undefined;
  /** Whether the peer is a proxy whose word counts. */
  isTrusted(remote: string | undefined): boolean;
  /**
   * What requests count for over time; undefined for those of this machine. One that a proxy here
   * has forwarded is none of these, whether or not the proxy is believed.
   */
  pacedAs(remote: string | undefined, forwardedFor: Forwarded): string | undefined;
}

/** The header `x-forwarded-for`, to which each proxy adds the address that it was called from. */
type Forwarded = string | readonly string[] | undefined;

/** The addresses that have so many bits in common with the first. */
export type Network = readonly [start: string, prefix: number];

/** Networks of one list. */
export const networksMax = 100;

/** Addresses that are remembered with what they are, since each request asks it. */
export const knownAddresses = 1_000;

/** Entries of `x-forwarded-for` that are read, from the last one on. */
export const forwardedEntriesMax = 32;

/** Characters of the longest address as systems write it; no longer text is remembered. */
const addressCharacters = 45;

/** This machine. */
export const loopback: readonly Network[] = [
  ["127.0.0.0", 8],
  ["::1", 128],
];

/**
 * Peers, of which those in `proxies` are believed who sends their requests. Neither they nor those
 * in `unshared` have a share of their own.
 */
export function createPeers(
  proxies: readonly Network[],
  unshared: readonly Network[] = loopback,
): Peers {
  const isProxy = createMembership(proxies);
  const isUnshared = createMembership(unshared);
  const known = new Map<string, Known>();
  const see = (shown = ""): Known => {
    const before = known.get(shown);
    if (before !== undefined) return before;
    // A part of a header would keep that whole.
    const text = structuredClone(shown);
    const address = plain(text);
    const network = isIP(address) === 0 ? undefined : networkOf(address);
    const found = { address, network, isProxy: isProxy(address), isUnshared: isUnshared(address) };
    if (known.size >= knownAddresses) known.clear();
    if (text.length <= addressCharacters) known.set(text, found);
    return found;
  };
  const addressOf = (text: string | undefined) => {
    const { network, isProxy, isUnshared } = see(text);
    return isProxy || isUnshared ? undefined : network;
  };
  const fromOf: Peers["fromOf"] = (remote, forwardedFor) => {
    const direct = see(remote);
    const isForwarded = forwardedFor !== undefined && direct.isProxy;
    const { address, network } = isForwarded ? see(lastSender(forwardedFor, isProxy)) : direct;
    return network === undefined ? undefined : address;
  };
  return {
    addressOf,
    isTrusted: (remote) => see(remote).isProxy,
    fromOf,
    pacedAs(remote, forwardedFor) {
      const from = fromOf(remote, forwardedFor);
      if (from !== undefined && !see(from).isUnshared) return see(from).network;
      return from !== undefined && forwardedFor === undefined ? undefined : unreadableAddress;
    },
    senderOf(connection, remote, forwardedFor) {
      if (see(remote).isProxy) {
        const last = lastSender(forwardedFor, isProxy);
        const isUnreadable = last !== undefined && isIP(last) === 0;
        const address = isUnreadable ? unreadableAddress : addressOf(last);
        // A proxy has the requests of many on one connection.
        return { connection: undefined, address };
      }
      const address = addressOf(remote);
      return address === undefined ? unsharedPeer : { connection, address };
    },
  };
}

/** What an address is. */
interface Known {
  /** In one form, however it was written; or the text, where that is no address. */
  readonly address: string;
  /** What it counts for; undefined where it is no address. */
  readonly network: string | undefined;
  readonly isProxy: boolean;
  readonly isUnshared: boolean;
}

/**
 * The last address that is not a trusted proxy's: everything before it may be made up, and is not
 * read. Undefined where the request is one of a proxy itself.
 */
function lastSender(forwardedFor: Forwarded, isProxy: Membership): string | undefined {
  if (forwardedFor === undefined) return undefined;
  const given = String(forwardedFor);
  let end = given.length;
  for (let entry = 0; entry < forwardedEntriesMax; entry += 1) {
    const comma = given.lastIndexOf(",", end - 1);
    const address = plain(given.slice(comma + 1, end).trim());
    if (isIP(address) === 0 || !isProxy(address)) return address;
    if (comma < 0) return undefined;
    end = comma;
  }
  return unreadableAddress;
}

/** The address without a port, brackets or a zone; one that only wraps an IPv4 address is that. */
function plain(text: string): string {
  if (isIPv4(text)) return text;
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const [address = ""] = (bracketed ?? withPort ?? text).split("%", 1);
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const isWrapped = groups.slice(0, 6).join() === [0, 0, 0, 0, 0, 0xffff].join();
  return isWrapped ? groups.slice(6).flatMap(bytesOf).join(".") : address;
}

function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const network = groupsOf(address).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}

/** The network around an address in CIDR: its /24, or of IPv6 its /48, as RFC 5952 writes it. */
export function wideNetworkOf(address: string): string {
  if (isIPv4(address)) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  const site = groupsOf(address).slice(0, 3);
  const text = site.map((group) => group.toString(16)).join(":");
  return `${text.replace(/(?:(?:^|:)0)+$/, "")}::/48`;
}

/** The /56 and the /48 around a /64 that is counted; an address of IPv4 has none. */
export function widerNetworksOf(counted: string): readonly string[] {
  const [a, b, c, d] = counted.endsWith("::/64") ? counted.split(":") : [];
  if (d === undefined) return [];
  const ofSubscriber = (Number.parseInt(d, 16) & 0xff00).toString(16);
  return [`${a}:${b}:${c}:${ofSubscriber}::/56`, `${a}:${b}:${c}::/48`];
}

/** What one provider has around what is counted: the /32 of a /64, the /24 of an IPv4 address. */
export function providerNetworkOf(counted: string): string {
  if (isIPv4(counted)) return wideNetworkOf(counted);
  const [a, b] = counted.split(":");
  return counted.endsWith("::/64") ? `${a}:${b}::/32` : counted;
}

/** The eight numbers of an IPv6 address, in whatever form (RFC 4291, 2.2). */
function groupsOf(address: string): readonly number[] {
  const [before = [], after = []] = address.split("::", 2).map((side) =>
    side
      .split(":")
      .filter((group) => group !== "")
      .flatMap(numbersOf),
  );
  // What `::` stands for is zeros, as many as are missing.
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** The number of a group, or the two numbers of an IPv4 address at the end. */
function numbersOf(group: string): readonly number[] {
  if (!isIPv4(group)) return [Number.parseInt(group, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

function bytesOf(group: number): readonly number[] {
  return [Math.floor(group / 256), group % 256];
}

/**
 * The networks of a list: addresses and CIDR like 10.0.0.0/8 or fd00::/8, separated by commas.
 * Or else what is wrong with it, in a sentence.
 */
export function parseNetworks(
  text: string,
): { readonly networks: readonly Network[] } | { readonly problem: string } {
  const entries = text.split(",").flatMap((entry) => entry.trim() || []);
  if (entries.length > networksMax) {
    return { problem: `There are ${entries.length} entries; ${networksMax} are allowed.` };
  }
  const parsed = entries.map(parseNetwork);
  const wrong = entries.filter((_, index) => parsed[index] === undefined);
  if (wrong.length > 0) {
    const forms = "an address or a network like 10.0.0.0/8 or fd00::/8";
    return { problem: wrong.map((entry) => `"${entry}" must be ${forms}.`).join(" ") };
  }
  return { networks: parsed.filter((network) => network !== undefined) };
}

function parseNetwork(entry: string): Network | undefined {
  const [, start = "", prefixText] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const bits = isIPv4(start) ? 32 : 128;
  const prefix = Number(prefixText ?? bits);
  return isIP(start) !== 0 && !start.includes("%") && prefix <= bits ? [start, prefix] : undefined;
}

/** Whether an address is in one of some networks; what is no address is in none. */
type Membership = (address: string) => boolean;

function createMembership(networks: readonly Network[]): Membership {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const [start, prefix] of networks) {
    list.addSubnet(start, prefix, isIPv6(start) ? "ipv6" : "ipv4");
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
