import { describe, expect, test } from "@jest/globals";
import { defaultLimits, openCallsOf, openStreamsOf } from "../../src/gateway/call/limits.ts";
import { createPeers, networksMax, parseNetworks, wideNetworkOf } from "../../src/port/peer.ts";
import { createShares, createWaiting } from "../../src/port/shares.ts";

function networksOf(text: string) {
  const parsed = parseNetworks(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.networks;
}

const connection = {};

describe("CVE-2026-45364: the share of an address, whatever it is written like", () => {
  const { addressOf } = createPeers(networksOf("10.0.0.0/8, fd00::/8"));

  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:ffff::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::2", "0:0:0:0::/64"],
    // The zeros that `::` stands for may end within the network.
    ["2600::4:5:6:7:8", "2600:0:0:4::/64"],
    ["2600:0:0:4:5:6:7:8", "2600:0:0:4::/64"],
    ["::4:5:6:7:8", "0:0:0:4::/64"],
    ["1::2:3:4:5:192.0.2.1", "1:0:2:3::/64"],
    ["1:2:3::", "1:2:3:0::/64"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["0:0:0:0:0:FFFF:192.0.2.1", "192.0.2.1"],
    ["0000:0000:0000:0000:0000:ffff:c000:0201", "192.0.2.1"],
    ["::192.0.2.1", "0:0:0:0::/64"],
  ])("of %s is that of %s", (remote, share) => {
    expect(addressOf(remote)).toBe(share);
  });

  test.each([
    "127.0.0.1",
    "127.1.2.3",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "10.1.2.3",
    "fd00::1",
    undefined,
  ])("of %s is none of its own", (remote) => {
    expect(addressOf(remote)).toBe(undefined);
  });
});

describe("CVE-2026-45364, CVE-2024-47070: who sends a request, which nobody can make up", () => {
  const peers = createPeers(networksOf("10.0.0.0/8"));
  const proxied = (address: string | undefined) => ({ connection: undefined, address });

  test.each([
    ["192.0.2.1", undefined, { connection, address: "192.0.2.1" }],
    ["192.0.2.1", "198.51.100.7", { connection, address: "192.0.2.1" }],
    ["10.0.0.1", "198.51.100.7", proxied("198.51.100.7")],
    ["::ffff:10.0.0.1", "198.51.100.7", proxied("198.51.100.7")],
    ["10.0.0.1", "203.0.113.9, 198.51.100.7", proxied("198.51.100.7")],
    ["10.0.0.1", "203.0.113.9,198.51.100.7 , 10.0.0.2", proxied("198.51.100.7")],
    ["10.0.0.1", "198.51.100.7:4711", proxied("198.51.100.7")],
    ["10.0.0.1", "[2001:db8::1]:4711", proxied("2001:db8:0:0::/64")],
    // What cannot be read ends the chain that is believed.
    ["10.0.0.1", "203.0.113.9, unknown", proxied("unknown")],
    ["10.0.0.1", "unknown", proxied("unknown")],
    ["10.0.0.1", "_hidden", proxied("unknown")],
    ["10.0.0.1", "", proxied("unknown")],
    ["10.0.0.1", "203.0.113.9, ", proxied("unknown")],
    ["10.0.0.1", "203.0.113.256", proxied("unknown")],
    ["10.0.0.1", "10.0.0.3", proxied(undefined)],
    ["10.0.0.1", undefined, proxied(undefined)],
    ["127.0.0.1", "198.51.100.7", proxied(undefined)],
  ])("from %s for %s", (remote, forwarded, expected) => {
    expect(peers.senderOf(connection, remote, forwarded)).toEqual(expected);
  });
});

describe("a list of networks", () => {
  test.each(["192.0.2.0/33", "192.0.2", "::/129", "a", "192.0.2.1/", "fe80::1%1", "1.2.3.4/-1"])(
    "cannot have %s",
    (entry) => {
      expect(parseNetworks(`10.0.0.1, ${entry}`)).toEqual({
        problem: `"${entry}" must be an address or a network like 10.0.0.0/8 or fd00::/8.`,
      });
    },
  );

  test("has as many entries as it may, and no more", () => {
    const entries = (count: number) => Array(count).fill("10.0.0.1").join();
    expect(parseNetworks(entries(networksMax))).toHaveProperty("networks");
    expect(parseNetworks(entries(networksMax + 1))).toEqual({
      problem: "There are 101 entries; 100 are allowed.",
    });
  });

  test("may be empty", () => {
    expect(networksOf(" ")).toEqual([]);
  });
});

describe("the shares of a service", () => {
  const { openCallsMax, openStreamsMax } = defaultLimits;
  const { openCallsOfSubscriberMax, openCallsOfSiteMax } = defaultLimits;
  const { openStreamsOfSubscriberMax, openStreamsOfSiteMax } = defaultLimits;
  const calls = openCallsOf(defaultLimits);
  const streams = openStreamsOf(defaultLimits);

  /** Each /64 is in one /56, or in one of many of a /48. */
  const inOne = (at: number) => `2001:db8:1:${(at % 250).toString(16)}::/64`;
  const inMany = (at: number) => `2001:db8:1:${(at % 250).toString(16)}00::/64`;

  test.each([
    ["calls of a /56", calls, openCallsOfSubscriberMax, inOne],
    ["calls of a /48", calls, openCallsOfSiteMax, inMany],
    ["streams of a /56", streams, openStreamsOfSubscriberMax, inOne],
    ["streams of a /48", streams, openStreamsOfSiteMax, inMany],
  ])("are so many %s, and leave room for others", (_title, limits, most, networkOf) => {
    expect([calls.all, streams.all]).toEqual([openCallsMax, openStreamsMax]);
    const shares = createShares(limits);
    const take = (at: number) => shares.take({ connection: {}, address: networkOf(at) });
    expect(Array.from({ length: most }, (_none, at) => take(at))).not.toContain(undefined);
    expect(take(most)).toBe(undefined);
    expect(shares.take({ connection: {}, address: "2001:db8:2:0::/64" })).toBeDefined();
  });
});

describe("shares", () => {
  const limits = { all: 4, ofConnection: 2, ofAddress: 3, ofSubscriber: 3, ofSite: 3 };
  const [one, other] = [{}, {}];

  test.each([
    ["in all", [undefined], 4, undefined, "a"],
    ["of a connection", [one], 2, undefined, undefined],
    ["of an address", [one, other], 3, "a", "b"],
    ["of an address of IPv6", [one, other], 3, "2001:db8:0:1::/64", "2001:db9:0:1::/64"],
  ])("bound what there is %s", (_, connections, max, address, another) => {
    const shares = createShares(limits);
    const take = (at: number) =>
      shares.take({ connection: connections[at % connections.length], address });
    const taken = Array.from({ length: max }, (_none, at) => take(at));
    expect(taken).not.toContain(undefined);
    expect(take(0)).toBe(undefined);
    const isElsewhere = shares.take({ connection: {}, address: another }) !== undefined;
    expect(isElsewhere).toBe(max < limits.all);
    // What is given back twice counts once.
    for (const again of [1, 2]) taken[again > 0 ? 0 : 1]?.();
    expect(take(0)).toBeDefined();
    expect(take(0)).toBe(undefined);
  });

  // Each address is another /64: of one /56, or of another one of the same /48.
  const ofSubscriber = ["2001:db8:1:100::/64", "2001:db8:1:1ff::/64", "2001:db8:1:17f::/64"];
  const ofSite = ["2001:db8:1:100::/64", "2001:db8:1:200::/64", "2001:db8:1:ff00::/64"];

  test.each([
    ["a /56", { ofSubscriber: 2 }, ofSubscriber, "2001:db8:1:200::/64"],
    [
      "a /56 that begins with zeros",
      { ofSubscriber: 2 },
      ["1:2:3:0::/64", "1:2:3:ff::/64", "1:2:3:7::/64"],
      "1:2:3:100::/64",
    ],
    ["a /48", { ofSite: 2 }, ofSite, "2001:db8:2:100::/64"],
  ])("bound what %s has, however many /64 there are in it", (_, given, addresses, another) => {
    const shares = createShares({ ...limits, ofSubscriber: 9, ofSite: 9, ...given });
    const take = (address: string) => shares.take({ connection: undefined, address });
    const [first = "", second = "", third = ""] = addresses;
    const giveBack = take(first);
    expect([giveBack, take(second)]).not.toContain(undefined);
    expect(take(third)).toBe(undefined);
    expect(take(another)).toBeDefined();
    giveBack?.();
    expect(take(third)).toBeDefined();
  });
});

describe("half-sent forms: of those that wait", () => {
  const limits = { all: 4, ofConnection: 2, ofAddress: 3, ofSubscriber: 3, ofSite: 3 };
  const [one, other] = [{}, {}];

  test.each([
    [
      "of a connection",
      { ofConnection: 2 },
      [
        [one, undefined],
        [one, undefined],
        [one, undefined],
      ],
    ],
    [
      "of an address",
      { ofAddress: 2 },
      [
        [one, "a"],
        [other, "a"],
        [one, "a"],
      ],
    ],
    [
      "of a /56",
      { ofSubscriber: 2 },
      [
        [one, "1:2:3:1::/64"],
        [one, "1:2:3:2::/64"],
        [one, "1:2:3:3::/64"],
      ],
    ],
    [
      "of a /48",
      { ofSite: 2 },
      [
        [one, "1:2:3:1::/64"],
        [one, "1:2:3:100::/64"],
        [one, "1:2:3:200::/64"],
      ],
    ],
    [
      "in all",
      { all: 2 },
      [
        [one, "a"],
        [other, "b"],
        [{}, "c"],
      ],
    ],
  ] as const)("the oldest goes %s, once there is one too many", (_, given, peers) => {
    const most = { all: 9, ofConnection: 9, ofAddress: 9, ofSubscriber: 9, ofSite: 9 };
    const waiting = createWaiting({ ...most, ...given });
    const cut: number[] = [];
    const join = (nth: 0 | 1 | 2) => {
      const [connection, address] = peers[nth];
      return waiting.join({ connection, address }, () => cut.push(nth));
    };
    join(0);
    const leave = join(1);
    expect(cut).toEqual([]);
    join(2);
    expect(cut).toEqual([0]);
    leave();
    join(0);
    expect(cut).toEqual([0]);
    join(1);
    expect(cut).toEqual([0, 2]);
  });

  test("unread pages and images: who takes several places pushes out as many", () => {
    const waiting = createWaiting({ ...limits, all: 9, ofAddress: 4 });
    const cut: string[] = [];
    const join = (name: string, places: number, address = "a") =>
      waiting.join({ connection: {}, address }, () => cut.push(name), places);
    join("other", 4, "b");
    join("first", 1);
    const leave = join("second", 2);
    join("third", 1);
    expect(cut).toEqual([]);
    leave();
    leave();
    join("fourth", 2);
    expect(cut).toEqual([]);
    join("fifth", 2);
    expect(cut).toEqual(["first", "third"]);
    join("one that takes more than there are", 5);
    expect(cut.slice(2)).toEqual(["fourth", "fifth"]);
    join("last", 1);
    expect(cut.slice(4)).toEqual(["one that takes more than there are"]);
  });

  test("one address pushes out its own, and nobody else", () => {
    const waiting = createWaiting(limits);
    const cut: string[] = [];
    const join = (address: string) =>
      waiting.join({ connection: {}, address }, () => cut.push(address));
    join("honest");
    for (let i = 0; i < 10; i += 1) join("stranger");
    expect(new Set(cut)).toEqual(new Set(["stranger"]));
    expect(cut).toHaveLength(7);
  });
});

describe("a whole address in the log for good: the network around", () => {
  test.each([
    ["192.0.2.255", "192.0.2.0/24"],
    ["10.0.0.0", "10.0.0.0/24"],
    ["2001:db8:7:8::9", "2001:db8:7::/48"],
    ["2001:db8::ffff:1", "2001:db8::/48"],
    ["2001:0:7::", "2001:0:7::/48"],
    ["::1", "::/48"],
    ["fe80::1:2:3:4", "fe80::/48"],
  ])("%s is %s", (address, network) => {
    expect(wideNetworkOf(address)).toBe(network);
  });
});
