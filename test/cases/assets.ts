import { AssetKind, AssetTheme } from "../../gen/iam/asset/v1/asset_pb.js";
import { label } from "../../src/domain/policy/label.ts";
import { attachmentDigest } from "../../src/store/attachment.ts";
import { png, pngChunk, pngHeader, pngPixels } from "../domain/image/parts.ts";
import type { World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { recorded } from "./given.ts";

// The images of label policies: what is taken, what is left of it, and where it is served.

export const logo = { kind: AssetKind.LOGO, theme: AssetTheme.LIGHT };
export const dark = { kind: AssetKind.ICON, theme: AssetTheme.DARK };
export const noPolicy = { code: 5, reason: "POLICY_NOT_FOUND" };
export const denied = {
  ...{ code: 7, reason: "PERMISSION_DENIED" },
  message: "The caller does not hold the permission iam.policy.write that this method needs.",
};
export const script = Buffer.from("<script>alert(1)</script>");

/** A PNG that nobody else has, of which nothing is left out. */
export const cleanOf = ({ unique }: Pick<World, "unique">) =>
  png(pngHeader(), pngPixels(333, unique));

/** The same with more in it that nobody is to be served. */
export const fullOf = ({ unique }: Pick<World, "unique">) =>
  Buffer.concat([
    png(pngHeader(), pngChunk("tEXt", script), pngPixels(333, unique)),
    Buffer.from("PK\x03\x04"),
    script,
  ]);

/** The headers of a call on an organization that has a label policy of its own. */
export async function givenPolicy({ server, unique }: World, ...images: readonly Buffer[]) {
  const organization = await givenOrganization(server, unique);
  const { images: _, ...payload } = label.defaults;
  const added = { type: "policy.label.added", payload } as const;
  await recorded(server, label.noun, organization, [added], organization);
  const headers = { "x-service-orgid": organization };
  for (const data of images) await send({ server }, organization, data);
  return { organization, headers };
}

/** The token of a machine that owns an organization with a label policy, and the headers. */
export async function givenOwner(world: World) {
  const { server } = world;
  const { organization, headers } = await givenPolicy(world);
  const scope = { level: "organization", organization } as const;
  const { token } = await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
  return { token, headers };
}

/** Uploads a logo by REST. */
export async function send({ server }: Pick<World, "server">, organization: string, data: Buffer) {
  const response = await fetch(`${server.url}/management/v1/assets`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${server.admin.token}`, "content-type": "application/json" },
      "x-service-orgid": organization,
    },
    body: JSON.stringify({
      ...{ kind: "ASSET_KIND_LOGO", theme: "ASSET_THEME_LIGHT", data: data.toString("base64") },
    }),
  });
  return { status: response.status, body: await response.json() };
}

/** The label policy of an organization as it is read. */
export async function labelOf({ server }: World, organization: string) {
  const headers = {
    ...{ authorization: `Bearer ${server.admin.token}`, "x-service-orgid": organization },
  };
  const response = await fetch(`${server.url}/management/v1/policies/label`, { headers });
  return ((await response.json()) as { readonly policy: { readonly logoUrl?: string } }).policy;
}

export const pathTo = (bytes: Buffer, ending = "png") =>
  `/ui/images/${attachmentDigest(bytes)}.${ending}`;
export const served = ({ server }: World, path: string) => fetch(server.url + path);
