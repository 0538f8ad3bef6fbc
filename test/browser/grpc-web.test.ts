import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, BrowserContext } from "playwright-core";
import { shortened } from "../harness/extent.ts";
import { repeatUntil } from "../harness/process.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type AdminPage, openAdminPage, startAdminSite } from "./admin.ts";
import { describeInChromium, launchChromium, newProfile } from "./chromium.ts";
import type { FileServer } from "./files.ts";

/** What each protocol calls itself on the wire, for a call and for a stream. */
const protocols = [
  {
    protocol: "gRPC-Web",
    types: ["application/grpc-web+proto", "application/grpc-web+proto"],
    // Its refusals are no failures of HTTP.
    complaints: [],
  },
  {
    protocol: "Connect",
    types: ["application/json", "application/connect+json"],
    complaints: ["status of 409"],
  },
];

const added = "project.application.added";

describeInChromium("a page of another origin", () => {
  let site: FileServer;
  let server: TestServer;
  let closed: TestServer;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    site = await startAdminSite();
    // Stopping may not need this grace: a stream that went on without its page would use it up.
    const limits = { stopGraceMs: 600_000 };
    server = await startServer({ corsOrigins: [origin("127.0.0.1")], limits });
    closed = await startServer();
    browser = await launchChromium();
    context = await newProfile(browser);
  });
  afterAll(async () => {
    // With its pages still open.
    await Promise.all([server?.close(), closed?.close()]);
    await browser?.close();
    await site?.close();
  });

  const origin = (hostname: string) => `http://${hostname}:${site.port}`;
  const open = (protocol: string, { url, admin } = server, from = origin("127.0.0.1")) =>
    openAdminPage(context, from, { protocol, url, token: admin.token });
  const add = (page: AdminPage, name: string, { project: projectId } = server) =>
    page.call("addOIDCApp", { projectId, name, redirectUris: ["https://app.example.com/"] });
  const codesOfWatches = () =>
    server
      .logged()
      .map((line) => JSON.parse(line) as { readonly method?: string; readonly code?: string })
      .filter(({ method }) => method === "iam.event.v1.EventService/WatchEvents")
      .map(({ code }) => code);

  describe.each(shortened(protocols))(
    "that speaks $protocol",
    ({ protocol, types, complaints }) => {
      const [unary, stream] = types;

      test("is answered, and can read why it is refused", async () => {
        const page = await open(protocol);
        const name = `${protocol} Unary`;
        const { answer: app } = await add(page, name);
        expect(app).toMatchObject({
          appId: expect.any(String),
          clientSecret: expect.any(String),
          details: { sequence: String(await server.head()) },
        });
        const { answer: list } = await page.call("listApps", { projectId: server.project });
        expect(list).toMatchObject({
          result: expect.arrayContaining([expect.objectContaining({ id: app?.appId, name })]),
        });

        const { refusal } = await add(page, name.toLowerCase());
        expect(refusal).toMatchObject({ code: "AlreadyExists", reason: "NAME_TAKEN" });
        expect(page.sent).toEqual([unary, unary, unary]);
        for (const complaint of complaints) await page.says(complaint);
        expect(page.said).toHaveLength(complaints.length);
      });

      test("can read why it is refused before anything of it was read", async () => {
        const page = await open(protocol, { ...server, admin: { ...server.admin, token: "none" } });
        const { refusal } = await add(page, `${protocol} Stranger`);
        expect(refusal).toMatchObject({ code: "Unauthenticated", reason: "UNAUTHENTICATED" });
      });

      test("sees events live, and ends the stream for both sides when it has enough", async () => {
        const page = await open(protocol);
        const before = codesOfWatches();
        const sequence = String(await server.head());
        const { answer: first } = await add(page, `${protocol} First`);
        await page.watch({ sequence, eventTypes: [added] });
        const eventOf = (id: unknown) => ({
          answer: {
            event: expect.objectContaining({ aggregate: expect.objectContaining({ id }) }),
            processedSequence: expect.any(String),
            resumeToken: expect.any(String),
          },
        });
        expect(await page.next()).toEqual(eventOf(first?.appId));

        const pending = page.next();
        const { answer: second } = await add(page, `${protocol} Second`);
        expect(await pending).toEqual(eventOf(second?.appId));

        expect(codesOfWatches()).toEqual(before);
        expect(await page.abort()).toMatchObject({ refusal: { code: "Canceled" } });
        const ended = Promise.withResolvers<void>();
        await repeatUntil(ended.promise, () => {
          if (codesOfWatches().length > before.length) ended.resolve();
        });
        expect(codesOfWatches()).toEqual([...before, "CANCELED"]);
        expect(page.sent).toEqual([unary, stream, unary]);
        expect(page.said).toEqual([]);
      });

      test.each([
        ["a server without CORS", () => closed, "127.0.0.1"],
        ["a server that lists other origins", () => server, "localhost"],
      ] as const)("is kept by the browser from calling %s", async (_, target, hostname) => {
        const page = await open(protocol, target(), origin(hostname));
        const before = await target().head();
        const { refusal } = await add(page, `${protocol} Blocked`, target());
        expect(refusal).toMatchObject({ text: expect.stringContaining("Failed to fetch") });
        expect(refusal?.reason).toBeUndefined();
        await page.says(`origin '${origin(hostname)}' has been blocked by CORS policy`);
        expect(await target().head()).toBe(before);
      });
    },
  );

  test("that still watches when the server stops is told so", async () => {
    const stopping = await startServer({ corsOrigins: [origin("127.0.0.1")] });
    const page = await open("gRPC-Web", stopping);
    await page.watch({ sequence: "0", aggregateTypes: ["project"] });
    const first = await page.next();
    const last = page.next();
    const { project: id } = stopping;
    await stopping.close();
    expect(first).toMatchObject({ answer: { event: { aggregate: { id } } } });
    expect(await last).toMatchObject({ refusal: { code: "Unavailable" } });
  });
});
