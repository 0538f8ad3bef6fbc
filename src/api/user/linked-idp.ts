import { create } from "@bufbuild/protobuf";
import { IDPUserLinkSchema } from "../../../gen/iam/idp/v1/link_pb.js";
import { unlinkExternal } from "../../domain/user/external-link.ts";
import { readProviders } from "../../execute/providers.ts";
import type { ManagementHandlers } from "../handlers.ts";
import { typeOf } from "../idp-link.ts";
import { pageOf } from "../listing.ts";
import type { Service } from "../service.ts";
import { readUser } from "./credential.ts";
import { changeUser } from "./user.ts";

/** The handlers on the accounts at identity providers that people are linked to. */
export function linkedIDPHandlers(service: Service) {
  return {
    async listHumanLinkedIDPs({ userId, query }, context) {
      const { found, details } = await readUser(service, userId, context);
      const links = found.state.human?.externalIDPs ?? [];
      const page = pageOf(links, query);
      const providers = await readProviders(
        service.store,
        page.map(({ idpId }) => idpId),
      );
      const result = page.map(({ idpId, externalUserId, displayName, maker }, index) =>
        create(IDPUserLinkSchema, {
          ...{ userId, idpId, idpName: providers[index]?.name ?? "", maker },
          ...{ providedUserId: externalUserId, providedUserName: displayName },
          ...typeOf(providers[index]),
        }),
      );
      return { details: { ...details, totalResult: BigInt(links.length) }, result };
    },

    removeHumanLinkedIDP: ({ userId, idpId, linkedUserId }, context) =>
      changeUser(service, userId, context, (states, acted, nowMs) =>
        unlinkExternal(states, { ...acted, idpId, externalUserId: linkedUserId }, nowMs),
      ),
  } satisfies Partial<ManagementHandlers>;
}
