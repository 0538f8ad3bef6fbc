import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  CreateActionRequest,
  CreateActionResponseSchema,
} from "../../gen/iam/management/v1/action_pb.js";
import { action, createAction, timeoutNanosDefault } from "../domain/action.ts";
import { actorOf, callOf } from "./call.ts";
import { createdDetails } from "./details.ts";
import { nanosOf } from "./duration.ts";
import { scriptViolations } from "./script.ts";
import { type Service, written } from "./service.ts";

/** The handlers on actions. */
export function actionHandlers({ execute, newId }: Service) {
  return {
    async createAction(
      { name, script, timeout, allowedToFail }: CreateActionRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof CreateActionResponseSchema>> {
      const { organization } = callOf(context);
      const id = newId();
      const timeoutNanos = timeout === undefined ? timeoutNanosDefault : nanosOf(timeout);
      const violations = scriptViolations("script", script);
      const outcome = await execute({
        ...actorOf(context),
        writes: { action: { noun: action, id, owner: organization } },
        relies: {},
        decide: () => createAction({ name, script, timeoutNanos, allowedToFail }, violations),
      });
      return { id, details: createdDetails(written(outcome)) };
    },
  };
}
