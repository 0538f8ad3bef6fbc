import type { Claim, ObjectRow } from "../event.ts";
import { accept, type Decision } from "./decision.ts";
import { type Noun, unknownEvent } from "./noun.ts";
import { type OrgEvent, setUpOrg } from "./org.ts";
import { type ProjectEvent, setUpProject } from "./project.ts";
import { setUpOwner, type UserEvent } from "./user.ts";

/** The one instance that a log is of. Its stream is what makes a first start happen once. */
export type InstanceEvent = { readonly type: "instance.set.up"; readonly payload: SetUp };

interface SetUp {
  readonly organization: string;
  readonly project: string;
  readonly owner: string;
}

export interface InstanceState {
  readonly organization: string;
}

export const instance: Noun<InstanceState, InstanceEvent> = {
  kind: "instance",
  evolve(_state, event) {
    switch (event.type) {
      case "instance.set.up":
        return { organization: event.payload.organization };
      default:
        return unknownEvent(event.type);
    }
  },
  claims: (): readonly Claim[] => [],
  row: (): Omit<ObjectRow, "kind"> => ({ parent: "", fields: {} }),
};

/** The id of the instance's stream. */
export const instanceId = "1";

interface FirstStart {
  readonly ids: SetUp & { readonly token: string };
  readonly tokenHash: string;
}

/**
 * The first start: an organization, a project to try things in, and a machine user that owns the
 * instance and has a token. Nothing where an instance exists.
 */
export function setUpInstance(
  state: InstanceState | undefined,
  { ids, tokenHash }: FirstStart,
): Decision<{
  instance?: readonly InstanceEvent[];
  org?: readonly OrgEvent[];
  project?: readonly ProjectEvent[];
  user?: readonly UserEvent[];
}> {
  if (state !== undefined) return accept({});
  const { organization, project, owner } = ids;
  return accept({
    instance: [{ type: "instance.set.up", payload: { organization, project, owner } }],
    org: setUpOrg("Default"),
    project: setUpProject("Getting started"),
    user: setUpOwner({ userName: "admin", name: "Administrator", token: ids.token, tokenHash }),
  });
}
