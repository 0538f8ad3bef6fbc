import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  AddProjectRequest,
  AddProjectResponseSchema,
} from "../../gen/iam/management/v1/project_pb.js";
import { PrivateLabelingSetting } from "../../gen/iam/project/v1/project_pb.js";
import {
  addProject,
  type PrivateLabelingSetting as LabelingSetting,
  project,
} from "../domain/project.ts";
import { actorOf, callOf } from "./call.ts";
import { createdDetails } from "./details.ts";
import { type Service, written } from "./service.ts";

/** The handlers on projects. */
export function projectHandlers({ execute, newId }: Service) {
  return {
    async addProject(
      request: AddProjectRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddProjectResponseSchema>> {
      const { organization } = callOf(context);
      const id = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { project: { noun: project, id, owner: organization } },
        relies: {},
        decide: () =>
          addProject({
            name: request.name,
            projectRoleAssertion: request.projectRoleAssertion,
            projectRoleCheck: request.projectRoleCheck,
            hasProjectCheck: request.hasProjectCheck,
            privateLabelingSetting: labelingSettings[request.privateLabelingSetting],
          }),
      });
      return { id, details: createdDetails(written(outcome)) };
    },
  };
}

const labelingSettings: { readonly [setting in PrivateLabelingSetting]: LabelingSetting } = {
  [PrivateLabelingSetting.UNSPECIFIED]: "UNSPECIFIED",
  [PrivateLabelingSetting.ENFORCE_PROJECT_RESOURCE_OWNER_POLICY]:
    "ENFORCE_PROJECT_RESOURCE_OWNER_POLICY",
  [PrivateLabelingSetting.ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY]:
    "ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY",
};
