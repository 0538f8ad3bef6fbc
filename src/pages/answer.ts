import { randomUUID } from "node:crypto";
import { createContextValues } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest } from "@connectrpc/connect-node";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { LogRefusals } from "../gateway/call/call.ts";
import { notedClient } from "../gateway/call/client.ts";
import { explain, reasonOf } from "../gateway/call/errors.ts";
import type { Front } from "../gateway/front.ts";
import { refusalLine } from "../gateway/refuse.ts";
import type { Reason } from "../reason.ts";
import type { Answer, ServedFile } from "./account.ts";
import type { Assets } from "./assets.ts";
import type { Brand, FindBrand } from "./brand.ts";
import { shownOf } from "./brand-style.ts";
import { type Fields, queryOf } from "./form.ts";
import { type AssetName, documentOf } from "./html/page.ts";
import { languageFor, takeChoice } from "./language-choice.ts";
import { homeOf } from "./loopback.ts";
import { ownCalls } from "./own-call.ts";
import { problemOf } from "./problem.ts";
import { sendAsset, sendFile, sendPage, sendRedirect } from "./response.ts";
import type { PageTable, Show } from "./table.ts";

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

/** What the routes share: the methods that they call, and the files that pages are made with. */
export interface Site extends PageOptions {
  readonly handlers: readonly UniversalHandler[];
  readonly assets: Assets;
}

/** How a request is answered. */
export interface Work {
  /** Takes in what was sent with it. Throws what is refused before a method is called. */
  readonly read: (request: FastifyRequest) => Fields | Promise<Fields>;
  readonly show: Show;
}

/** Answers a request for a page. */
export async function answer(
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
  if ("image" in answered) return sendAsset(reply, answered.image);
  if ("file" in answered) return sendFile(reply, answered.file);
  const { status, page, leadsOn, isOnce = false } = answered;
  const language = languageFor(request.headers, answered.language);
  const query = isOnce ? undefined : openedBy(request);
  const assetPath = (name: AssetName) => site.assets[name].path;
  const context = { ...{ assetPath, query, language, base }, ...shownOf(brand) };
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
  const working = <Result>(run: () => Promise<Result>) =>
    front.work({ request, reply }, "pages", run);
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
    // HTTP/1.1 can only stop a sender by closing; an HTTP/2 stream is reset on its own.
    if (request.raw.httpVersionMajor === 1 && endless.has(reasonOf(error))) {
      reply.header("connection", "close");
    }
    const answered = problemOf(error, "code", { requestId });
    if (reasonOf(error) === "TOO_MANY_CALLS") return { answered };
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
