import type { HandlerContext } from "@connectrpc/connect";
import type { ObjectDetails } from "../../../gen/iam/v1/object_pb.js";
import {
  addPolicy,
  changePolicy,
  type PolicyDecision,
  type PolicyEvent,
  type PolicyKind,
  type PolicyState,
  policyBefore,
  policyId,
  removePolicy,
} from "../../domain/policy/policy.ts";
import type { NewEvent } from "../../event.ts";
import type { Written } from "../../execute/command.ts";
import { findPolicy } from "../../execute/policies.ts";
import { readInstance } from "../../execute/read-object.ts";
import { actorOf, callOf } from "../call.ts";
import { decideWhole, type Masked } from "../changing.ts";
import { changedDetails, createdDetails, readDetails } from "../details.ts";
import { requireAnswer, type Service } from "../service.ts";

/** Whose policies calls are about: those of the organization that they act on, or the defaults. */
export type Level = "instance" | "organization";

/** A policy that counts where a call acts. */
export interface FoundHere<Policy> {
  readonly policy: Policy;
  readonly isDefault: boolean;
  /** Where it stands in the log; nothing where nobody has set anything. */
  readonly details: { readonly details?: ObjectDetails };
}

/** What is answered of what was written, and the bytes that it names. */
interface Ending<Answer> {
  readonly answer: (written: Written) => Answer;
  readonly attachments?: readonly Uint8Array[];
}

/** How requests give the settings of a policy. */
interface Form<Request, Policy, Kept extends keyof Policy> {
  show(policy: Policy): object;
  read(request: Request): Omit<Policy, Kept>;
}

interface Details {
  readonly details: ObjectDetails;
}

const changed: Ending<Details> = { answer: (written) => ({ details: changedDetails(written) }) };
const created: Ending<Details> = { answer: (written) => ({ details: createdDetails(written) }) };

/** What calls do with the policies of one kind, at one level. */
export function policyCalls<
  Name extends string,
  Policy extends object,
  Kept extends keyof Policy,
  More extends NewEvent,
>(
  { execute, store }: Pick<Service, "execute" | "store">,
  kind: PolicyKind<Name, Policy, Kept, More>,
  level: Level,
) {
  type Event = PolicyEvent<Name, Policy, Kept> | More;
  const organizationOf = (context: HandlerContext) =>
    level === "instance" ? undefined : callOf(context).organization;

  async function decide<Answer>(
    context: HandlerContext,
    decision: (state: PolicyState<Policy> | undefined) => PolicyDecision<Event>,
    { answer, ...beside }: Ending<Answer>,
  ): Promise<Answer> {
    const organization = organizationOf(context);
    const owner = organization ?? (await readInstance(store))?.organization ?? "";
    const outcome = await execute({
      ...actorOf(context),
      writes: { policy: { noun: kind.noun, id: policyId(organization), owner } },
      decide: (states) => decision(states.policy),
      ...beside,
      answer,
    });
    return requireAnswer(outcome);
  }

  return {
    /** Reads the policy that counts. */
    async find(context: HandlerContext): Promise<FoundHere<Policy>> {
      const { policy, isDefault, stored } = await findPolicy(store, kind, organizationOf(context));
      const details = stored ? { details: readDetails(stored) } : {};
      return { policy, isDefault, details };
    },

    add: (context: HandlerContext, given: Parameters<typeof addPolicy<Name, Policy, Kept>>[2]) =>
      decide(context, (state) => addPolicy(kind, state, given), created),

    /** Replaces the settings, or those that a mask names: they are shown as requests give them. */
    update: <Request extends Masked>(
      request: Request,
      context: HandlerContext,
      { show, read }: Form<NoInfer<Request>, Policy, Kept>,
    ) =>
      decide(
        context,
        (state) => {
          const before = policyBefore(kind, state, organizationOf(context));
          return decideWhole(request, context, before && show(before), (whole) =>
            changePolicy(kind, before, read(whole)),
          );
        },
        changed,
      ),

    reset: (context: HandlerContext) =>
      decide(context, (state) => removePolicy(kind, state), changed),

    /** Changes what is no setting of the policy. */
    change: <Answer = Details>(
      context: HandlerContext,
      decision: (before: Policy | undefined) => PolicyDecision<Event>,
      ending = changed as Ending<Answer>,
    ) =>
      decide(
        context,
        (state) => decision(policyBefore(kind, state, organizationOf(context))),
        ending,
      ),
  };
}
