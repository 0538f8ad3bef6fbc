import { afterEach, describe, expect, test } from "@jest/globals";
import type { FetcherOptions } from "../../src/fetch/fetcher.ts";
import { fc } from "../harness/laws.ts";
import { createFetcher } from "./for-one.ts";
import { allowing, failureOf, type Listener, listen, ok, reasonOf, redirect } from "./listener.ts";

/**
 * GHSA-29jh-8cfq-rr8x, CVE-2026-1180, CVE-2026-4366, CVE-2024-49753: a URL that a stranger gives
 * must not reach into the network of the service, by name, number, redirect or changing answers.
 */

const listeners: Listener[] = [];

async function listening(...answer: Parameters<typeof listen>): Promise<Listener> {
  const listener = await listen(...answer);
  listeners.push(listener);
  return listener;
}

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

/** A fetcher that takes http too and resolves every name to what is given, one answer per call. */
function fetcher(
  allow: string,
  answers: readonly (readonly string[])[] = [],
  options: Partial<FetcherOptions> = {},
) {
  const asked: string[] = [];
  const fetch = createFetcher({
    allow: allowing(allow),
    http: true,
    resolve: async (name) => answers[asked.push(name) - 1] ?? [],
    ...options,
  });
  return { fetch, asked: () => asked };
}

const inside = "GHSA-29jh-8cfq-rr8x, CVE-2026-1180, CVE-2026-4366";

describe(`${inside}: hosts that are not public are never connected to`, () => {
  test.each([
    ...["127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7F000001", "0177.0.0.1", "017700000001"],
    ...[
      "2130706433",
      "127.0.0.1.",
      "１２７.0.0.1",
      "127。0。0。1",
      "0.0.0.0",
      "0",
      "127.255.255.254",
    ],
    ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
    ...["[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "[fd00::1]"],
  ])("%s", async (host) => {
    const inner = await listening();
    const { fetch, asked } = fetcher("");
    expect(await reasonOf(fetch(`http://${host}:${inner.port}/`))).toBe("ADDRESS_NOT_ALLOWED");
    expect(asked()).toEqual([]);
    expect(inner.connections()).toBe(0);
  });

  test.each(["localhost", "LOCALHOST", "localhost.", "lоcalhost.example", "ip6-loopback"])(
    "%s that resolves to loopback",
    async (host) => {
      const inner = await listening();
      const { fetch, asked } = fetcher("", [["127.0.0.1"]]);
      const reason = await reasonOf(fetch(`http://${host}:${inner.port}/`));
      expect(reason).toBe("ADDRESS_NOT_ALLOWED");
      expect(asked()).toHaveLength(1);
      expect(inner.connections()).toBe(0);
    },
  );

  test("localhost as the operating system resolves it", async () => {
    const inner = await listening();
    const fetch = createFetcher({ allow: [], http: true });
    const reason = await reasonOf(fetch(`http://localhost:${inner.port}/`));
    expect(reason).toBe("ADDRESS_NOT_ALLOWED");
    expect(inner.connections()).toBe(0);
  });

  test.each([
    ["a public and a private answer", ["8.8.8.8", "127.0.0.1"]],
    ["a private and a public answer", ["127.0.0.1", "8.8.8.8"]],
    ["IPv4 inside of IPv6", ["::ffff:127.0.0.1"]],
    ["an address of a zone", ["fe80::1%lo"]],
    ["an answer that is no address", ["127.1"]],
  ])("a name with %s", async (_, answer) => {
    const inner = await listening();
    const { fetch } = fetcher("", [answer]);
    const failure = await failureOf(fetch(`http://sp.example.com:${inner.port}/`));
    expect(failure.reason).toBe("ADDRESS_NOT_ALLOWED");
    for (const address of answer) expect(failure.message).not.toContain(address);
    expect(inner.connections()).toBe(0);
  });

  test("any special IPv4 address, written as a number in any base", async () => {
    const { fetch } = fetcher("");
    const first = fc.constantFrom(0, 10, 127, 224, 255);
    const rest = fc.integer({ min: 0, max: 2 ** 24 - 1 });
    const base = fc.constantFrom([10, ""] as const, [8, "0"] as const, [16, "0x"] as const);
    await fc.assert(
      fc.asyncProperty(first, rest, base, async (high, low, [radix, prefix]) => {
        const host = prefix + (high * 2 ** 24 + low).toString(radix);
        expect(await reasonOf(fetch(`https://${host}/`))).toBe("ADDRESS_NOT_ALLOWED");
      }),
    );
  });
});

describe("CVE-2024-49753: DNS rebinding", () => {
  test("a name is asked once, and the answer that was checked is used", async () => {
    const allowed = await listening((socket) => socket.end(ok("checked")));
    const { fetch, asked } = fetcher(`127.0.0.1:${allowed.port}`, [["127.0.0.1"], ["127.0.0.53"]]);
    const body = await fetch(`http://sp.example.com:${allowed.port}/`);
    expect(Buffer.from(body).toString()).toBe("checked");
    expect(asked()).toEqual(["sp.example.com"]);
  });

  test("a redirect to the same name is asked and checked anew", async () => {
    const allowed = await listening((socket) => socket.end(redirect("/again")));
    const { fetch, asked } = fetcher(`127.0.0.1:${allowed.port}`, [["127.0.0.1"], ["127.0.0.53"]]);
    const reason = await reasonOf(fetch(`http://sp.example.com:${allowed.port}/`));
    expect(reason).toBe("ADDRESS_NOT_ALLOWED");
    expect(asked()).toHaveLength(2);
    expect(allowed.connections()).toBe(1);
  });
});

describe(`${inside}: redirects`, () => {
  test.each(["127.0.0.1", "0x7f.1", "[::ffff:127.0.0.1]", "sp.example.com"])(
    "from an allowed port to another one at %s",
    async (host) => {
      const inner = await listening();
      const outer = await listening((socket) =>
        socket.end(redirect(`http://${host}:${inner.port}/admin`)),
      );
      const { fetch } = fetcher(`127.0.0.0/8:${outer.port}`, [["127.0.0.1"]]);
      const failure = await failureOf(fetch(`${outer.origin}/`));
      expect(failure.reason).toBe("ADDRESS_NOT_ALLOWED");
      expect(failure.message).not.toContain(host);
      expect(outer.connections()).toBe(1);
      expect(inner.connections()).toBe(0);
    },
  );

  test.each([
    ["file:///etc/passwd"],
    ["data:text/plain,hello"],
    ["ftp://127.0.0.1/"],
    ["gopher://127.0.0.1:70/"],
    ["javascript:alert(1)"],
    ["http://user@sp.example.com/"],
    ["http://:secret@sp.example.com/"],
    ["http://"],
    ["http://[fe80::1%25eth0]/"],
    [`/${"a".repeat(2_048)}`],
  ])("to %s", async (location) => {
    const outer = await listening((socket) => socket.end(redirect(location)));
    const { fetch } = fetcher("127.0.0.0/8");
    const failure = await failureOf(fetch(outer.origin));
    expect(failure.reason).toBe("ANSWER_UNUSABLE");
    expect(failure.message).toMatch(/to an invalid URL|must have the scheme https or http/);
    expect(outer.connections()).toBe(1);
  });

  test("without a location", async () => {
    const outer = await listening((socket) => socket.end("HTTP/1.1 302 Found\r\n\r\n"));
    const { fetch } = fetcher("127.0.0.0/8");
    expect((await failureOf(fetch(outer.origin))).message).toContain("to an invalid URL");
  });

  test.each([301, 302, 303, 307, 308])("three with status %i", async (status) => {
    const outer = await listening((socket, head) => {
      const step = Number(/^GET \/(\d) /.exec(head)?.[1]);
      socket.end(step < 3 ? redirect(`${step + 1}`, status) : ok("arrived"));
    });
    const { fetch } = fetcher("127.0.0.0/8");
    const body = await fetch(`${outer.origin}/0`);
    expect(Buffer.from(body).toString()).toBe("arrived");
    expect(outer.connections()).toBe(4);
  });

  test.each([
    ["in a loop", () => "/"],
    ["without an end", (head: string) => `${/ (\S+) /.exec(head)?.[1]}more/`],
  ])("%s", async (_, next) => {
    const outer = await listening((socket, head) => socket.end(redirect(next(head))));
    const { fetch } = fetcher("127.0.0.0/8");
    const failure = await failureOf(fetch(`${outer.origin}/`));
    expect(failure.reason).toBe("ANSWER_UNUSABLE");
    expect(failure.message).toBe("The URL leads to more than 3 redirects.");
    expect(outer.connections()).toBe(4);
  });
});

describe("URLs", () => {
  test.each([
    ["", "URL_INVALID"],
    ["sp.example.com/metadata", "URL_INVALID"],
    ["//sp.example.com/metadata", "URL_INVALID"],
    ["https://", "URL_INVALID"],
    ["https://user@sp.example.com/", "URL_INVALID"],
    ["https://user:secret@sp.example.com/", "URL_INVALID"],
    ["https://:secret@sp.example.com/", "URL_INVALID"],
    ["https://[fe80::1%25eth0]/", "URL_INVALID"],
    ["https://[fe80::1%eth0]/", "URL_INVALID"],
    ["https://256.0.0.1/", "URL_INVALID"],
    ["https://sp.example.com:65536/", "URL_INVALID"],
    [`https://sp.example.com/${"a".repeat(2_026)}`, "URL_INVALID"],
    [`https://sp.example.com/${"a".repeat(2_025)}`, "NOT_REACHED"],
    ["http://sp.example.com/", "URL_INVALID"],
    ["file:///etc/passwd", "URL_INVALID"],
    ["data:,", "URL_INVALID"],
    ["javascript:alert(1)", "URL_INVALID"],
    ["https://sp.example.com/", "NOT_REACHED"],
  ])("%.60s", async (url, reason) => {
    const { fetch } = fetcher("", [], { http: false });
    const failure = await failureOf(fetch(url));
    expect(failure.reason).toBe(reason);
    expect(failure.message).not.toContain("secret");
  });

  test("a name inside is told from none by nothing that is said", async () => {
    const failures = [[], ["10.0.0.1"], ["::1"], ["8.8.8.8", "127.0.0.1"]].map((answer) =>
      failureOf(fetcher("", [answer]).fetch("https://sp.example.com/")),
    );
    const messages = (await Promise.all(failures)).map(({ message }) => message);
    expect(new Set(messages).size).toBe(1);
  });

  test("a name server that fails is a name that is not resolved", async () => {
    const resolve = () => Promise.reject(new TypeError("getaddrinfo ENOTFOUND at 10.0.0.53"));
    const failure = await failureOf(fetcher("", [], { resolve }).fetch("https://sp.example.com/"));
    expect(failure.reason).toBe("NOT_REACHED");
    expect(failure.message).toEqual(
      expect.stringMatching(/^The URL leads to no allowed address\. /),
    );
  });

  test("whatever text is given, what is rejected with is a FetchFailed", async () => {
    const { fetch } = fetcher("");
    const start = fc.constantFrom("", "https://", "http://sp.example.com", "https://127.", "//");
    await fc.assert(
      fc.asyncProperty(start, fc.string(), async (prefix, text) => {
        // Names resolve to nothing here, and no text that is made has a public address for a host.
        expect((await failureOf(fetch(prefix + text))).message).toMatch(/^\S.*\.$/);
      }),
    );
  });
});

describe("with the allow list", () => {
  test("an allowed address answers, by number and by name", async () => {
    const inner = await listening((socket) => socket.end(ok("<a/>")));
    const { fetch } = fetcher(`127.0.0.1:${inner.port}`, [["127.0.0.1"]]);
    for (const host of ["127.0.0.1", "sp.example.com"]) {
      const url = `http://${host}:${inner.port}/metadata?a=b`;
      expect(Buffer.from(await fetch(url)).toString()).toBe("<a/>");
      expect(inner.requests().at(-1)).toMatch(/^GET \/metadata\?a=b HTTP/);
    }
  });

  test("nothing of this process goes along", async () => {
    const inner = await listening((socket) => socket.end(ok("", "set-cookie: a=b")));
    const { fetch } = fetcher("127.0.0.1");
    await fetch(`${inner.origin}/metadata#fragment`);
    await fetch(`${inner.origin}/metadata`);
    const head = [
      "GET /metadata HTTP/1.1",
      `host: 127.0.0.1:${inner.port}`,
      "connection: close",
      "accept: */*",
      "accept-encoding: identity",
      "user-agent: iam",
      "\r\n",
    ].join("\r\n");
    expect(inner.requests()).toEqual([head, head]);
    expect(inner.connections()).toBe(2);
  });
});
