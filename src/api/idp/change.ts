import type { HandlerContext } from "@connectrpc/connect";
import type { RemoveIDPRequest } from "../../../gen/iam/admin/v1/idp_change_pb.js";
import type { RemoveOrgIDPRequest } from "../../../gen/iam/management/v1/idp_change_pb.js";
import { idp, linksTo, removeIDP, removeOrgIDP } from "../../domain/idp.ts";
import { user } from "../../domain/user/user.ts";
import { actorOf, callOf } from "../call.ts";
import { changedDetails } from "../details.ts";
import { type Service, written } from "../service.ts";

/** The handlers that remove identity providers. */
export function idpChangeHandlers({ execute }: Service) {
  return {
    async removeIDP({ idpId }: RemoveIDPRequest, context: HandlerContext) {
      const outcome = await execute({ ...removing(idpId, context), decide: removeIDP });
      return { details: changedDetails(written(outcome)) };
    },

    async removeOrgIDP({ idpId }: RemoveOrgIDPRequest, context: HandlerContext) {
      const { organization } = callOf(context);
      const outcome = await execute({
        ...removing(idpId, context),
        decide: (states) => removeOrgIDP(states, { organization }),
      });
      written(outcome);
      return {};
    },
  };
}

/** A provider and the users who are linked to it: nobody must be while it is removed. */
function removing(id: string, context: HandlerContext) {
  return {
    ...actorOf(context),
    writes: { idp: { noun: idp, id } },
    relies: {},
    groups: { linked: { noun: user, ...linksTo(id) } },
  };
}
