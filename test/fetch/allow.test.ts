import { describe, expect, test } from "@jest/globals";
import { readAddress } from "../../src/fetch/address.ts";
import { allowedNetworksMax, mayConnect, parseAllowList } from "../../src/fetch/allow.ts";
import { runs } from "../harness/extent.ts";
import { fc } from "../harness/laws.ts";
import { allowing } from "./listener.ts";

const yes: readonly (readonly [list: string, address: string, port: number])[] = [
  ["", "8.8.8.8", 443],
  ["10.0.0.0/8", "8.8.8.8", 443],
  ["10.0.0.0/8", "10.255.255.255", 1],
  ["10.0.0.0/8:8443", "10.1.2.3", 8443],
  ["10.1.2.3", "10.1.2.3", 443],
  ["10.1.2.3:8443", "10.1.2.3", 8443],
  [" 192.168.0.0/16 , 10.0.0.0/8 ,", "10.1.2.3", 443],
  ["10.0.0.0/8:80,10.0.0.0/8:443", "10.1.2.3", 443],
  ["127.0.0.0/8", "::ffff:127.0.0.1", 443],
  ["10.0.0.0/8", "64:ff9b::10.0.0.1", 443],
  ["0.0.0.0/0", "127.0.0.1", 443],
  ["fd00::/8", "fd12::1", 443],
  ["[fd00::/8]", "fd12::1", 443],
  ["[fd00::/8]:443", "fd12::1", 443],
  ["[::1]:8443", "::1", 8443],
  ["::/0", "::1", 443],
];

const no: typeof yes = [
  ["", "127.0.0.1", 443],
  ["10.0.0.0/8", "127.0.0.1", 443],
  ["10.0.0.0/8:8443", "10.1.2.3", 443],
  ["10.0.0.0/8:8443", "10.1.2.3", 8444],
  ["10.1.2.3", "10.1.2.4", 443],
  ["10.1.2.0/24", "10.1.3.0", 443],
  ["0.0.0.0/0", "::1", 443],
  ["::/0", "127.0.0.1", 443],
  ["::/0", "::ffff:127.0.0.1", 443],
  ["[fd00::/8]:443", "fd12::1", 80],
  ["fd00::/8", "fc00::1", 443],
];

test.each(yes)("%p lets %s port %i be reached", (list, address, port) => {
  expect(mayConnect(allowing(list), readAddress(address)!, port)).toBe(true);
});

test.each(no)("%p keeps %s port %i away", (list, address, port) => {
  expect(mayConnect(allowing(list), readAddress(address)!, port)).toBe(false);
});

describe("what is wrong is said entry by entry", () => {
  test.each([
    ["localhost", /"localhost" must have a form like/],
    ["10.0.0.300/8", /"10.0.0.300\/8" must have a form like/],
    ["10.0.0/8", /must have a form/],
    ["10.0.0.0:443/8", /must have a form/],
    ["fd00::/8:443", /"fd00::\/8:443" must have a form like .*\[fd00::\/8\]:443/],
    ["[10.0.0.0/8]:443", /must have a form/],
    ["[fd00::/8", /must have a form/],
    ["[fd00::/8]443", /must have a form/],
    ["fe80::1%eth0", /must have a form/],
    ["10.0.0.0/", /must have a form/],
    ["10.0.0.0/33", /must have a prefix from \/0 to \/32/],
    ["10.0.0.0/-1", /must have a form/],
    ["10.0.0.0/8/8", /must have a form/],
    ["10.0.0.0/1e1", /must have a form/],
    ["fd00::/129", /must have a prefix from \/0 to \/128/],
    ["10.0.0.1/8", /"10.0.0.1\/8" has bits beyond \/8/],
    ["10.128.0.0/8", /has bits beyond/],
    ["fd00::1/127", /has bits beyond \/127/],
    ["10.0.0.0/8:0", /must have a port from 1 to 65535/],
    ["10.0.0.0/8:65536", /must have a port from 1 to 65535/],
    ["10.0.0.0/8:", /must have a form/],
    ["10.0.0.0/8:https", /must have a form/],
    ["::ffff:10.0.0.0/104", /IPv4 network written as IPv6/],
    ["64:ff9b::/96", /IPv4 network written as IPv6/],
    ["10.0.0.0/33,10.0.0.0/8,x", /^"10.0.0.0\/33" must .* "x" must .*$/],
  ])("%s", (text, problem) => {
    expect(parseAllowList(text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test("as many networks as may be, and one more", () => {
    const entries = Array(allowedNetworksMax).fill("10.0.0.0/8");
    expect(allowing(entries.join())).toHaveLength(allowedNetworksMax);
    expect(parseAllowList([...entries, "10.0.0.0/8"].join())).toEqual({
      problem: "There are 101 entries; 100 are allowed.",
    });
  });

  test("any text is a list or a problem", () => {
    const part = fc.constantFrom("10.0.0.0", "fd00::", "[", "]", "/", "8", ":", ",", "%", "x", " ");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join("")),
        ),
        (text) => {
          const parsed = parseAllowList(text);
          expect("allow" in parsed).not.toBe("problem" in parsed);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});
