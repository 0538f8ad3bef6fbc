import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { AddOrgRequest, AddOrgResponseSchema } from "../../gen/iam/management/v1/org_pb.js";
import { addOrg, org } from "../domain/org.ts";
import { actorOf } from "./call.ts";
import { createdDetails } from "./details.ts";
import { type Service, written } from "./service.ts";

/** The handlers on organizations. */
export function orgHandlers({ execute, newId }: Service) {
  return {
    async addOrg(
      { name }: AddOrgRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddOrgResponseSchema>> {
      const id = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { org: { noun: org, id, owner: id } },
        relies: {},
        decide: () => addOrg({ name }),
      });
      return { id, details: createdDetails(written(outcome)) };
    },
  };
}
