import type { HandlerContext } from "@connectrpc/connect";
import type { ObjectDetails } from "../../../gen/iam/v1/object_pb.js";
import type { Refusal } from "../../domain/decision.ts";
import type { Providers } from "../../domain/idp.ts";
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
import { ownerOfAll } from "../../execute/read-object.ts";
import { readerOf } from "../../store/objects.ts";
import { callOf } from "../call.ts";
import { decideWhole, type Masked } from "../changing.ts";
import { createdDetails, readDetails } from "../details.ts";
import { refsOfIDPs } from "../idp-link.ts";
import { type detailsIn, perform, type Service } from "../service.ts";

/** Whose policies calls are about: those of the organization that they act on, or the defaults. */
export type Level = "instance" | "organization";

/** The organization of a call, at its level; undefined for the defaults. */
export function organizationAt(level: Level, context: HandlerContext): string | undefined {
  return level === "instance" ? undefined : callOf(context).organization;
}

/** A policy that counts where a call acts. */
export interface FoundHere<Policy> {
  readonly policy: Policy;
  readonly isDefault: boolean;
  /** Where it stands in the log; nothing where nobody has set anything. */
  readonly details: { readonly details?: ObjectDetails };
}

/** What is answered of what was written, as `perform` has it, and the bytes that it names. */
interface Ending<Answer> {
  readonly answer?: (written: Written) => Answer;
  readonly attachments?: readonly Uint8Array[];
  /** The ids of the providers that the decision depends on. */
  readonly idps?: readonly string[];
}

/** Decides by a policy, and the providers that the decision depends on. */
type Decide<State, Event> = (
  state: State | undefined,
  providers: Providers,
) => PolicyDecision<Event>;

/** Providers that a policy names, and what may refuse it because of them. */
interface Naming {
  readonly idps?: readonly string[];
  readonly refuse?: (providers: Providers) => Refusal | undefined;
}

/** How requests give the settings of a policy. */
interface Form<Request, Policy, Kept extends keyof Policy> {
  show(policy: Policy): object;
  read(request: Request): Omit<Policy, Kept>;
}

type Details = ReturnType<typeof detailsIn>;
const created: Ending<Details> = { answer: (written) => ({ details: createdDetails(written) }) };

/** What calls do with the policies of one kind, at one level. */
export function policyCalls<
  Name extends string,
  Policy extends object,
  Kept extends keyof Policy,
  More extends NewEvent,
>(
  service: Pick<Service, "execute" | "store">,
  kind: PolicyKind<Name, Policy, Kept, More>,
  level: Level,
) {
  const { store } = service;
  type Event = PolicyEvent<Name, Policy, Kept> | More;
  const organizationOf = (context: HandlerContext) => organizationAt(level, context);

  async function decide<Answer = Details>(
    context: HandlerContext,
    decision: Decide<PolicyState<Policy>, Event>,
    { idps = [], ...beside }: Ending<Answer> = {},
  ): Promise<Answer> {
    const organization = organizationOf(context);
    const owner = organization ?? (await ownerOfAll(store));
    return await perform(service, context, {
      writes: { policy: { noun: kind.noun, id: policyId(organization), owner } },
      relies: refsOfIDPs(idps),
      decide: (states) => decision(states.policy, states),
      ...beside,
    });
  }

  return {
    /** Reads the policy that counts. */
    async find(context: HandlerContext): Promise<FoundHere<Policy>> {
      const { policy, isDefault, stored } = await findPolicy(
        readerOf(store),
        kind,
        organizationOf(context),
      );
      const details = stored ? { details: readDetails(stored) } : {};
      return { policy, isDefault, details };
    },

    /** Gives the organization one, unless what it names is refused. */
    add: (
      context: HandlerContext,
      given: Parameters<typeof addPolicy<Name, Policy, Kept>>[2],
      { refuse, ...named }: Naming = {},
    ) => {
      const decision = (...[state, providers]: Parameters<Decide<PolicyState<Policy>, Event>>) =>
        refuse?.(providers) ?? addPolicy(kind, state, given);
      return decide(context, decision, { ...created, ...named });
    },

    /** Replaces the settings, or those that a mask names: they are shown as requests give them. */
    update: <Request extends Masked>(
      request: Request,
      context: HandlerContext,
      { show, read }: Form<NoInfer<Request>, Policy, Kept>,
    ) =>
      decide(context, (state) => {
        const before = policyBefore(kind, state, organizationOf(context));
        return decideWhole(request, context, before && show(before), (whole) =>
          changePolicy(kind, before, read(whole)),
        );
      }),

    reset: (context: HandlerContext) => decide(context, (state) => removePolicy(kind, state)),

    /** Changes what is no setting of the policy. */
    change: <Answer = Details>(
      context: HandlerContext,
      decision: Decide<Policy, Event>,
      ending: Ending<Answer> = {},
    ) => {
      const organization = organizationOf(context);
      const before = (state: PolicyState<Policy> | undefined) =>
        policyBefore(kind, state, organization);
      return decide(context, (state, found) => decision(before(state), found), ending);
    },
  };
}
