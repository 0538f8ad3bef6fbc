import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type { IDPOwnerType } from "../../../gen/iam/idp/v1/idp_pb.js";
import { ListDetailsSchema, type ListQuery } from "../../../gen/iam/v1/search_pb.js";
import { login } from "../../domain/policy/login.ts";
import { nameProvider, unnameProvider } from "../../domain/policy/offer.ts";
import { servesOf, showNamed } from "../idp-link.ts";
import { pageOf } from "../listing.ts";
import type { Service } from "../service.ts";
import { type Level, organizationAt, policyCalls } from "./calls.ts";

/** The handlers on the identity providers that login policies name, in either service. */
export function namedIDPHandlers(service: Service, level: Level) {
  const calls = policyCalls(service, login, level);
  return {
    async listLoginPolicyIDPs({ query }: Listed, context: HandlerContext) {
      const { position, timeMs } = await service.store.head();
      const { policy } = await calls.find(context);
      const named = await showNamed(service.store, policy.idps ?? []);
      const details = create(ListDetailsSchema, {
        totalResult: BigInt(named.length),
        processedSequence: position,
        viewTimestamp: timestampFromMs(timeMs),
      });
      return { details, result: [...pageOf(named, query)] };
    },

    addIDPToLoginPolicy: ({ idpId, ownerType }: Given, context: HandlerContext) =>
      calls.change(
        context,
        (before, providers) => {
          const named = { idpId, ...(ownerType === undefined ? {} : servesOf(ownerType)) };
          const organization = organizationAt(level, context);
          return nameProvider(before, providers, { ...named, organization });
        },
        { idps: [idpId] },
      ),

    removeIDPFromLoginPolicy: ({ idpId }: Given, context: HandlerContext) =>
      calls.change(context, (before) => unnameProvider(before, idpId)),
  };
}

interface Listed {
  readonly query?: ListQuery | undefined;
}

interface Given {
  readonly idpId: string;
  /** Only organizations may say it. */
  readonly ownerType?: IDPOwnerType;
}
