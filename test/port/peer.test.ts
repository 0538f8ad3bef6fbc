import { describe, expect, test } from "@jest/globals";
import { createPeers, networksMax, parseNetworks, wideNetworkOf } from "../../src/port/peer.ts";
import { createShares } from "../../src/port/shares.ts";

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

describe("CVE-2026-45364: who sends a request, which nobody can make up", () => {
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
    ["10.0.0.1", "203.0.113.9, unknown", proxied(undefined)],
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
        problem: `"${entry}" must be an address or a network such as 10.0.0.0/8 or fd00::/8.`,
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

describe("shares", () => {
  const limits = { all: 4, ofConnection: 2, ofAddress: 3 };
  const [one, other] = [{}, {}];

  test.each([
    ["in all", [undefined], 4, undefined, "a"],
    ["of a connection", [one], 2, undefined, undefined],
    ["of an address", [one, other], 3, "a", "b"],
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
