import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Front } from "../gateway/front.ts";
import { type FindBrand, instanceBrand } from "./brand.ts";
import { styleOf } from "./brand-style.ts";
import { sendAsset, sendPassing } from "./response.ts";

interface Options {
  readonly front: Front;
  readonly findBrand: FindBrand;
}

/**
 * The style sheets of brands, of which each is the one that its owner has now. Where that has
 * changed since a page named it, the page gets the new one, which is then not kept.
 */
export function registerBrandStyles(server: FastifyInstance, { front, findBrand }: Options): void {
  server.route({
    method: ["GET", "HEAD"],
    url: "/ui/brand/:owner/:version/style.css",
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      front.enter(request);
      const { owner } = request.params as { readonly owner: string };
      const whose = owner === instanceBrand ? undefined : { organization: owner };
      const brand = await front.work({ request, reply }, "pages", () => findBrand(whose));
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
