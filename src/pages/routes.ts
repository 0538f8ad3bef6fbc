import type { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failure, methodNotAllowed } from "../gateway/call/errors.ts";
import type { ShowMissing } from "../gateway/routes.ts";
import { prefersPage } from "../text/accept.ts";
import type { PageOptions, Site, Work } from "./answer.ts";
import { readAssets } from "./assets.ts";
import { registerBrandStyles } from "./brand-route.ts";
import { fieldsOf, patienceWith, queryOf, readForm } from "./form.ts";
import { refuseOtherSites } from "./origin.ts";
import { sendAsset } from "./response.ts";
import { type Forms, loadedLater, type Show } from "./table.ts";

/** Which of the pages behind the links take a form. */
export const linkForms: Forms = {
  "/ui/initialize": true,
  "/ui/passwordless/init": false,
  "/ui/email/verify": true,
  "/ui/phone/verify": true,
  "/ui/done": false,
};

const pages = loadedLater(linkForms, async () => (await import("./links.ts")).linkPages);

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
  const answerTo = (work: Work) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { answer } = await import("./answer.ts");
    return await answer(work, request, reply, site);
  };
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
  const showHome: Show = async () => {
    const { homePage } = await import("./html/home.ts");
    return { status: 200, page: homePage };
  };
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
