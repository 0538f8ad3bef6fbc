import { randomUUID } from "node:crypto";
import { type ConnectError, createContextValues } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest } from "@connectrpc/connect-node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { LogRefusals } from "../gateway/call/call.ts";
import { notedClient } from "../gateway/call/client.ts";
import { explain, failure, methodNotAllowed, reasonOf } from "../gateway/call/errors.ts";
import type { Front } from "../gateway/front.ts";
import { refusalLine } from "../gateway/refuse.ts";
import type { ShowMissing } from "../gateway/routes.ts";
import type { Reason } from "../reason.ts";
import { prefersPage } from "../text/accept.ts";
import type { Answer, ServedFile, Visit } from "./account.ts";
import { type Assets, readAssets } from "./assets.ts";
import { type Brand, type FindBrand, instanceBrand } from "./brand.ts";
import { shownOf, styleOf } from "./brand-style.ts";
import { type Fields, fieldsOf, patienceWith, readForm } from "./form.ts";
import type { AssetName } from "./html/page.ts";
import { languageFor, takeChoice } from "./language-choice.ts";
import { homeOf } from "./loopback.ts";
import { refuseOtherSites } from "./origin.ts";
import { ownCalls } from "./own-call.ts";
import { problemOf } from "./problem.ts";
import { sendAsset, sendFile, sendImage, sendPage, sendPassing, sendRedirect } from "./response.ts";

export interface PageOptions extends LogRefusals {
  readonly log: Logger;
  readonly now: () => number;
  /** The address at which people reach the service, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly front: Front;
  readonly findBrand: FindBrand;
  /** The image of a label policy with this name; nothing where none has it. */
  readonly findImage: (name: string) => Promise<ServedFile | undefined>;
  /** Pages besides those behind links. */
  readonly more?: PageTable;
}

type Show = (visit: Visit) => Promise<Answer>;

/** Pages by their paths; a form is sent where it came from. */
export interface PageTable {
  readonly [path: string]: { readonly get: Show; readonly post?: Show };
}

/** The pages behind the links, which are loaded when somebody first opens one. */
const pages: PageTable = {
  "/ui/initialize": { get: own("showInitialization"), post: own("takeAccount") },
  "/ui/passwordless/init": { get: own("showPasskey") },
  "/ui/email/verify": { get: own("showEmail"), post: own("takeEmail") },
  "/ui/phone/verify": { get: own("showPhone"), post: own("takePhone") },
  "/ui/done": { get: own("showDone") },
};

function own(name: keyof typeof import("./account.ts") & `${"show" | "take"}${string}`): Show {
  return async (visit) => (await import("./account.ts"))[name](visit);
}

/** What the routes share: the methods that they call, and the files that pages are made with. */
interface Site extends PageOptions {
  readonly handlers: readonly UniversalHandler[];
  readonly assets: Assets;
}

/**
 * The pages for people, at `/` and below `/ui`, and what is said about all other paths there.
 * Answers what says so to people elsewhere.
 */
export async function registerPages(
  server: FastifyInstance,
  handlers: readonly UniversalHandler[],
  options: PageOptions,
): Promise<ShowMissing> {
  const site: Site = { ...options, handlers, assets: await readAssets() };
  const answerTo = (work: Work) => (request: FastifyRequest, reply: FastifyReply) =>
    answer(work, request, reply, site);
  const refuseOthers = (url: string, allowed: readonly string[]) => {
    const method = server.supportedMethods.filter((verb) => !allowed.includes(verb));
    server.route({
      method,
      url,
      handler: answerTo(refused(() => methodNotAllowed(allowed))),
    });
  };

  for (const [url, { get, post }] of Object.entries({ ...pages, ...options.more })) {
    server.route({ method: ["GET", "HEAD"], url, handler: answerTo(opened(get)) });
    if (post !== undefined) server.post(url, answerTo(sent(post, options)));
    refuseOthers(url, post === undefined ? ["GET", "HEAD"] : ["GET", "HEAD", "POST"]);
  }
  for (const asset of Object.values(site.assets)) {
    const url = `/ui/${asset.path}`;
    server.route({ method: ["GET", "HEAD"], url, handler: (_, reply) => sendAsset(reply, asset) });
    refuseOthers(url, ["GET", "HEAD"]);
  }
  registerBrandStyles(server, options);
  const images = "/ui/images/:name";
  const image = answerTo(opened(showImage(options)));
  server.route({ method: ["GET", "HEAD"], url: images, handler: image });
  refuseOthers(images, ["GET", "HEAD"]);
  const showHome = async () => ({ status: 200, page: (await import("./html/home.ts")).homePage });
  const home = answerTo(opened(showHome));
  server.route({
    method: ["GET", "HEAD"],
    url: "/",
    // Programs are told what they are told of every path without an operation.
    handler: (request, reply) =>
      prefersPage(request.headers.accept) ? home(request, reply) : reply.callNotFound(),
  });
  const missing = answerTo(refused(noPage));
  for (const url of ["/ui", "/ui/*"]) server.all(url, missing);
  return (request, reply) => {
    const isLink = request.method === "GET" || request.method === "HEAD";
    return isLink && prefersPage(request.headers.accept) ? missing(request, reply) : undefined;
  };
}

/**
 * The style sheets of brands, of which each is the one that its owner has now. Where that has
 * changed since a page named it, the page gets the new one, which is then not kept.
 */
function registerBrandStyles(server: FastifyInstance, { front, findBrand }: PageOptions): void {
  server.route({
    method: ["GET", "HEAD"],
    url: "/ui/brand/:owner/:version/style.css",
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      front.enter(request);
      const { owner } = request.params as { readonly owner: string };
      const whose = owner === instanceBrand ? undefined : { organization: owner };
      const brand = await front.work(request, "pages", () => findBrand(whose));
      const style = brand && styleOf(brand);
      const sheet = {
        contentType: "text/css; charset=utf-8",
        bytes: Buffer.from(style?.text ?? ""),
      };
      const isSame = style !== undefined && request.url.endsWith(style.path);
      return isSame ? sendAsset(reply, sheet) : sendPassing(reply, sheet);
    },
  });
}

function noPage(): ConnectError {
  return failure({ reason: "UNKNOWN_PATH", message: "No page has this path." });
}

/** Shows an image by its name, as long as a label policy has it. */
function showImage({ findImage }: PageOptions): Show {
  return async ({ request }) => {
    const image = await findImage((request.params as { readonly name: string }).name);
    if (image === undefined) throw noPage();
    return { image };
  };
}

/** How a request is answered. */
interface Work {
  /** Takes in what was sent with it. Throws what is refused before a method is called. */
  readonly read: (request: FastifyRequest) => Fields | Promise<Fields>;
  readonly show: Show;
}

/** A link says everything in its query. */
function opened(show: Show): Work {
  return { read: (request) => fieldsOf(queryOf(request)), show };
}

function sent(show: Show, { front, publicUrl }: PageOptions): Work {
  return {
    async read(request) {
      const fields = await readForm(request, patienceWith(front, request));
      refuseOtherSites(request, publicUrl());
      return fields;
    },
    show,
  };
}

/** What is refused, whatever was sent. */
function refused(refusal: () => ConnectError): Work {
  const refuse = () => Promise.reject(refusal());
  return { read: refuse, show: refuse };
}

async function answer(
  work: Work,
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
): Promise<FastifyReply> {
  const home = homeOf(request, site.publicUrl());
  if (home !== undefined) return sendRedirect(reply, home);
  const back = takeChoice(request, reply, site);
  if (back !== undefined) return sendRedirect(reply, back);
  const requestId = randomUUID();
  const { answered, brand } = await answerOf(work, request, reply, { ...site, requestId });
  reply.header("x-request-id", requestId);
  const base = baseOf(request);
  if ("redirect" in answered) return sendRedirect(reply, base + answered.redirect);
  if ("location" in answered) return sendRedirect(reply, answered.location);
  if ("image" in answered) return sendImage(reply, answered.image);
  if ("file" in answered) return sendFile(reply, answered.file);
  const { status, page, leadsOn, isOnce = false } = answered;
  const language = languageFor(request.headers, answered.language);
  const query = isOnce ? undefined : openedBy(request);
  const assetPath = (name: AssetName) => site.assets[name].path;
  const context = { ...{ assetPath, query, language, base }, ...shownOf(brand) };
  const { documentOf } = await import("./html/page.ts");
  const text = documentOf(page, context);
  return sendPage(reply, { status, text, language, leadsOn });
}

/** An answer, and what its page shows of an organization or the instance. */
interface Branded {
  readonly answered: Answer;
  readonly brand?: Brand | undefined;
}

async function answerOf(
  work: Work,
  request: FastifyRequest,
  reply: FastifyReply,
  { requestId, ...site }: Site & { readonly requestId: string },
): Promise<Branded> {
  const { handlers, log, now, front, findBrand } = site;
  const working = <Result>(run: () => Promise<Result>) => front.work(request, "pages", run);
  try {
    front.enter(request);
    const values = createContextValues();
    const whole = universalRequestFromNodeRequest(request.raw, reply.raw, undefined, values);
    const call = ownCalls(handlers, whole, { requestId, now, client: notedClient(request.raw) });
    const fields = await work.read(request);
    return await working(async () => {
      const answered = await work.show({ fields, call, requestId, findBrand, request, reply });
      return "page" in answered
        ? { answered, brand: await findBrand(answered.whose) }
        : { answered };
    });
  } catch (thrown) {
    const error = explain(thrown, { requestId, form: { encoding: "json" } }, log);
    site.logRefusal(refusalLine(request, error, requestId));
    for (const name of ["allow", "retry-after"]) {
      const value = error.metadata.get(name);
      if (value !== null) reply.header(name, value);
    }
    const reason = reasonOf(error);
    const isCutOff = endless.has(reason);
    // HTTP/1.1 can only stop a sender by closing; an HTTP/2 stream is reset on its own.
    if (request.raw.httpVersionMajor === 1 && isCutOff) reply.header("connection", "close");
    const answered = problemOf(error, "code", { requestId });
    // For senders who are cut off, or have left, nothing is read: that would take others' places.
    if (isCutOff || reason === "CANCELED") return { answered };
    // What has gone wrong is told in any case, and nothing is read where too much is going on.
    return { answered, brand: await working(() => findBrand()).catch(() => undefined) };
  }
}

/** Refusals of a body that may never end. */
const endless = new Set<Reason | undefined>([
  "BODY_TOO_LARGE",
  "REQUEST_TIMEOUT",
  "TOO_MANY_OPEN_CALLS",
  "TOO_MANY_CALLS",
]);

function baseOf({ url }: FastifyRequest): string {
  const [path = ""] = url.split("?", 1);
  const isBelow = path.startsWith("/ui/");
  const depth = path.split("/").length - 2;
  return isBelow ? "../".repeat(depth - 1) : `${"../".repeat(depth)}ui/`;
}

/** The query that a page was opened with; undefined for one that a form has led to. */
function openedBy(request: FastifyRequest): string | undefined {
  const isOpened = request.method === "GET" || request.method === "HEAD";
  return isOpened ? queryOf(request) : undefined;
}

/** The query of the address that was asked for, as it was sent; empty where there is none. */
export function queryOf({ url }: Pick<FastifyRequest, "url">): string {
  const [, query = ""] = /^[^?]*\?(.*)$/s.exec(url) ?? [];
  return query;
}
