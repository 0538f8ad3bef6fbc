import { describe, expect, test } from "@jest/globals";
import { isSpecial, readAddress } from "../../src/fetch/address.ts";
import { fc } from "../harness/laws.ts";

/** CVE-2024-49753: what counts is the address, in whatever form it comes. */

const special = [
  // The first and last address of each IPv4 range, and one between.
  ...["0.0.0.0", "0.1.2.3", "0.255.255.255"],
  ...["10.0.0.0", "10.1.2.3", "10.255.255.255"],
  ...["100.64.0.0", "100.100.100.200", "100.127.255.255"],
  ...["127.0.0.0", "127.0.0.1", "127.255.255.255"],
  ...["169.254.0.0", "169.254.169.254", "169.254.255.255"],
  ...["172.16.0.0", "172.20.0.1", "172.31.255.255"],
  ...["192.0.0.0", "192.0.0.170", "192.0.0.255"],
  ...["192.0.2.0", "192.0.2.1", "192.0.2.255"],
  ...["192.88.99.0", "192.88.99.1", "192.88.99.255"],
  ...["192.168.0.0", "192.168.1.1", "192.168.255.255"],
  ...["198.18.0.0", "198.18.5.5", "198.19.255.255"],
  ...["198.51.100.0", "198.51.100.7", "198.51.100.255"],
  ...["203.0.113.0", "203.0.113.7", "203.0.113.255"],
  ...["224.0.0.0", "239.1.2.3", "239.255.255.255"],
  ...["240.0.0.0", "250.0.0.1", "255.255.255.255"],
  // IPv6 outside of global unicast.
  ...["::", "::1", "::2", "::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8"],
  ...["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:808:808", "64:ff9b::1:0:0", "100::", "100::1"],
  ...["200::1", "400::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "5f00::1"],
  ...["fc00::", "fd12:3456::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe00::1"],
  ...["fe80::", "fe80::1", "febf:ffff::1", "fec0::1", "feff::1", "ff00::", "ff02::1", "ffff::"],
  // IPv6 inside of it.
  ...["2001::", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1", "2001:20::1", "2001:1ff::1"],
  ...["2001:db8::", "2001:db8:1::1", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ...["2002::", "2002:7f00:1::1", "2002:808:808::1", "2002:ffff:ffff::", "3fff::1", "3fff:fff::1"],
  // IPv4 inside of IPv6.
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:FFFF:7F00:0001", "::ffff:10.0.0.1"],
  ...["::ffff:0.0.0.0", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1"],
  ...["64:ff9b::", "64:ff9b::192.168.0.0", "64:FF9B:0:0:0:0:a9fe:a9fe"],
];

const open = [
  // The neighbours of each range.
  ...["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"],
  ...["128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"],
  ...["191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.88.98.255", "192.88.100.0"],
  ...["192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255"],
  ...["198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8"],
  ...["2000::", "2001:200::1", "2001:db7:ffff::1", "2001:db9::", "2003::1", "2606:4700::1111"],
  ...["3ffe:ffff::1", "3fff:1000::", "2a00:1450:4001::200e"],
  ...["::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::8.8.8.8", "64:ff9b::808:808"],
];

test.each(special)("CVE-2024-49753: %s is special", (text) => {
  expect(isSpecial(readAddress(text)!)).toBe(true);
});

test.each(open)("%s is public", (text) => {
  expect(isSpecial(readAddress(text)!)).toBe(false);
});

describe("reading", () => {
  test.each([
    ["127.0.0.1", [127, 0, 0, 1]],
    ["::ffff:7f00:1", [127, 0, 0, 1]],
    ["::FFFF:127.0.0.1", [127, 0, 0, 1]],
    ["64:ff9b::1", [0, 0, 0, 1]],
    ["1:203::fF0e", [0, 1, 2, 3, ...Array(10).fill(0), 255, 14]],
    ["1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
  ])("%s", (text, bytes) => {
    expect(readAddress(text)?.toByteArray()).toEqual(bytes);
  });

  test.each([
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "127.0.0.01",
    "fe80::1%eth0",
    "[::1]",
    "1::2::",
  ])("%p is no address", (text) => {
    expect(readAddress(text)).toBeUndefined();
  });

  test("an IPv4 address is as special as the same one inside of IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "64:ff9b::"), (inner, prefix) => {
        const wrapped = readAddress(prefix + inner)!;
        expect(wrapped).toEqual(readAddress(inner));
        expect(isSpecial(wrapped)).toBe(isSpecial(readAddress(inner)!));
      }),
    );
  });

  test("every spelling of an IPv6 address is the same 16 bytes", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const spelled = new URL(`http://[${text}]`).hostname.slice(1, -1);
        expect(readAddress(spelled)!.toByteArray()).toEqual(readAddress(text)!.toByteArray());
      }),
    );
  });
});
