import { BlockList } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createPeers, forwardedEntriesMax, knownAddresses } from "../../src/port/peer.ts";
import { megabytesOf, partOfRequest } from "../harness/heap.ts";

describe("what an address is", () => {
  const { check } = BlockList.prototype;
  let read = 0;
  beforeEach(() => {
    BlockList.prototype.check = function (this: BlockList, ...address: never) {
      read += 1;
      return check.apply(this, address);
    } as typeof check;
  });
  afterEach(() => {
    BlockList.prototype.check = check;
  });

  test("is read once for `knownAddresses` of them, and with one more again", () => {
    const peers = createPeers([]);
    const nth = (n: number) => `10.0.${n >> 8}.${n & 255}`;
    const ask = (from: number, to: number) => {
      read = 0;
      for (let n = from; n < to; n += 1) expect(peers.addressOf(nth(n))).toBe(nth(n));
      return read;
    };
    expect(ask(0, knownAddresses)).toBe(knownAddresses);
    expect(ask(0, knownAddresses)).toBe(0);
    expect(ask(knownAddresses, knownAddresses + 1)).toBe(1);
    expect(ask(0, 1)).toBe(1);
  });

  test("is read each time where it is longer than systems write one", () => {
    const peers = createPeers([]);
    const ask = (address: string) => {
      read = 0;
      for (let time = 0; time < 2; time += 1) {
        expect(peers.addressOf(address)).toBe("fe80:0:0:0::/64");
      }
      return read;
    };
    const zone = (characters: number) => `fe80::1%${"z".repeat(characters - "fe80::1%".length)}`;
    expect([ask(zone(45)), ask(zone(46))]).toEqual([1, 2]);
  });
});

describe("headers that take long to read: `x-forwarded-for`", () => {
  const { senderOf, fromOf, pacedAs } = createPeers([["10.0.0.0", 8]]);
  const [proxy, caller] = ["10.0.0.1", "198.51.100.7"];
  const said = (from: string, proxies: number) => [from, ...Array(proxies).fill(proxy)].join();
  const read = (given: string) => [
    senderOf({}, proxy, given).address,
    fromOf(proxy, given),
    pacedAs(proxy, given),
  ];

  test("is read as far as `forwardedEntriesMax`, and names nobody past that", () => {
    expect(read(said(caller, forwardedEntriesMax - 1))).toEqual(Array(3).fill(caller));
    expect(read(said(caller, forwardedEntriesMax))).toEqual(["unknown", undefined, "unknown"]);
    expect(senderOf({}, proxy, said(proxy, forwardedEntriesMax - 1)).address).toBe(undefined);
    expect(senderOf({}, proxy, said(proxy, forwardedEntriesMax)).address).toBe("unknown");
  });

  test("names who is no proxy, whatever stands before", () => {
    expect(read(`${said(caller, 1_000)},203.0.113.9,${proxy}`)).toEqual(
      Array(3).fill("203.0.113.9"),
    );
  });

  test.each([",", `,${proxy}`, `${caller},,${proxy}`, `, ,${proxy}`])(
    "names nobody where an entry is empty: %s",
    (given) => {
      expect(read(given)).toEqual(["unknown", undefined, "unknown"]);
    },
  );
});

test("names that keep a request: an address is remembered without the header", async () => {
  const peers = createPeers([]);
  const kept = await megabytesOf(async () => {
    for (let n = 100; n < 200; n += 1) peers.addressOf(partOfRequest(`203.117.100.${n}`));
    return peers;
  });
  expect(kept).toBeLessThan(10);
});
