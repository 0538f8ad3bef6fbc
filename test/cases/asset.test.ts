import { expect } from "@jest/globals";
import { AssetService } from "../../gen/iam/asset/v1/asset_service_pb.js";
import { imageLimits } from "../../src/domain/image/limits.ts";
import { attachmentDigest } from "../../src/store/attachment.ts";
import { imageOf } from "../domain/image/images.ts";
import { jpegSegment, png, pngHeader, pngPixels } from "../domain/image/parts.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { fact } from "./stored.ts";

// The images of label policies: what is taken, what is left of it, and where it is served.

import {
  cleanOf,
  dark,
  denied,
  fullOf,
  givenOwner,
  givenPolicy,
  labelOf,
  logo,
  noPolicy,
  pathTo,
  script,
  send,
  served,
} from "./assets.ts";

const { upload } = AssetService.method;

/** A row about an upload that is refused for what it is. */
function refuses(name: string, data: Buffer, message: string) {
  return row(`refuses ${name}`, upload, async (world) => {
    const { headers } = await givenPolicy(world);
    const expected = { code: 3, reason: "IMAGE_INVALID", message };
    return { request: { ...logo, data }, headers, expected };
  });
}

runCases("Upload", [
  row("keeps what is needed to show the image, and serves it", upload, async (world) => {
    const { organization, headers } = await givenPolicy(world);
    const clean = cleanOf(world);
    const sha256 = attachmentDigest(clean);
    return {
      request: { ...logo, data: fullOf(world) },
      headers,
      expected: {
        async ok({ url }, events) {
          const at = { kind: "logo", theme: "light", policy: organization };
          expect(events.map(fact).map(({ payload }) => payload)).toEqual([
            { ...at, sha256, type: "image/png" },
          ]);
          expect(url).toMatch(new RegExp(`^https?://[^/]+${pathTo(clean)}$`));
          expect(await labelOf(world, organization)).toMatchObject({ logoUrl: url });
          const answer = await served(world, new URL(url).pathname);
          expect(Buffer.from(await answer.arrayBuffer())).toEqual(clean);
          expect(Object.fromEntries(answer.headers)).toMatchObject({
            "cache-control": "public, max-age=31536000, immutable",
            "content-security-policy": expect.stringContaining("default-src 'none'"),
            "content-type": "image/png",
            "x-content-type-options": "nosniff",
          });
          for (const ending of ["jpg", "webp", "svg", "html", "png.html"]) {
            expect((await served(world, pathTo(clean, ending))).status).toBe(404);
          }
        },
      },
    };
  }),
  row("keeps the image of the dark theme beside the other", upload, async (world) => {
    const clean = cleanOf(world);
    const { organization, headers } = await givenPolicy(world, clean);
    return {
      request: { ...dark, data: imageOf("webp") },
      headers,
      expected: {
        async ok({ url }) {
          const found = await labelOf(world, organization);
          expect(found).toMatchObject({ iconUrlDark: url });
          expect(found.logoUrl).toMatch(pathTo(clean));
          expect(found).toMatchObject({ iconUrl: "" });
          expect((await served(world, new URL(url).pathname)).headers.get("content-type")).toBe(
            "image/webp",
          );
        },
      },
    };
  }),
  row("replaces an image, which nobody is served any more", upload, async (world) => {
    const old = cleanOf(world);
    const { headers } = await givenPolicy(world, old);
    const shown = await served(world, pathTo(old));
    const policy = shown.headers.get("cross-origin-resource-policy");
    expect([shown.status, policy]).toEqual([200, "cross-origin"]);
    return {
      request: { ...logo, data: imageOf("jpeg") },
      headers,
      expected: {
        async ok() {
          expect((await served(world, pathTo(old))).status).toBe(404);
        },
      },
    };
  }),
  row("sets an image of the default of the instance", upload, async (world) => ({
    // Another each time: one that is there already changes nothing.
    request: {
      ...logo,
      data: png(pngHeader(), pngPixels(Number(`0x${world.unique.slice(-3)}`))),
      instance: true,
    },
    expected: {
      async ok({ url }, events) {
        expect(events.map(({ stream }) => stream)).toEqual(["labelPolicy-1"]);
        const { organization } = await givenPolicy({ ...world, unique: `${world.unique} other` });
        expect(await labelOf(world, organization)).toMatchObject({ logoUrl: "" });
        expect((await served(world, new URL(url).pathname)).status).toBe(200);
      },
    },
  })),
  row("refuses the image of the instance to who owns an organization", upload, async (world) => ({
    ...(await givenOwner(world)),
    request: { ...logo, data: cleanOf(world), instance: true },
    expected: denied,
  })),
  row("takes the largest file, in each form", upload, async (world) => {
    const { headers } = await givenPolicy(world);
    const data = Buffer.alloc(imageLimits.bytes);
    cleanOf(world).copy(data);
    return { request: { ...logo, data }, headers, expected: { ok: () => {} } };
  }),
  row("refuses one byte more", upload, async (world) => {
    const { headers } = await givenPolicy(world);
    const data = Buffer.alloc(imageLimits.bytes + 1);
    cleanOf(world).copy(data);
    const expected = { code: 3, reason: "INVALID_FIELDS", fields: ["data"] };
    return { request: { ...logo, data }, headers, expected };
  }),
  row("refuses fields that are not set", upload, async (world) => ({
    ...{ request: {}, headers: (await givenPolicy(world)).headers },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["kind", "theme", "data"] },
  })),
  refuses(
    "an SVG",
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
    "The file is not a PNG, JPEG or WebP image.",
  ),
  refuses(
    "an image of more pixels than a screen has",
    png(pngHeader({ width: 2_001, height: 1 }), pngPixels()),
    "The image has 2001 × 1 pixels; at most 2000 are allowed on each side.",
  ),
  refuses(
    "a damaged one",
    Buffer.concat([imageOf("jpeg").subarray(0, -2), jpegSegment(0xfe, script)]),
    "The image is damaged: its end is missing.",
  ),
  row("refuses the image that is there", upload, async (world) => ({
    request: { ...logo, data: fullOf(world) },
    headers: (await givenPolicy(world, cleanOf(world))).headers,
    expected: { code: 9, reason: "NOTHING_CHANGED" },
  })),
  row("refuses an organization without a policy of its own", upload, async (world) => ({
    request: { ...logo, data: cleanOf(world) },
    headers: { "x-service-orgid": await givenOrganization(world.server) },
    expected: noPolicy,
  })),
  row("takes so many in a day, of each organization, and no more", upload, async (world) => {
    const others = Array.from({ length: imageLimits.uploadsPerDay - 1 }, (_, i) =>
      png(pngHeader({ width: i + 1 }), pngPixels()),
    );
    const { organization, headers } = await givenPolicy(world, ...others);
    expect(await send(world, organization, cleanOf(world))).toMatchObject({ status: 200 });
    return {
      request: { ...logo, data: imageOf("jpeg") },
      headers,
      expected: { code: 8, reason: "TOO_MANY_UPLOADS" },
    };
  }),
]);
