import { create, type DescMessage, isMessage, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Details, DetailsSchema } from "../../gen/iam/object/v2/object_pb.js";
import { type ObjectDetails, ObjectDetailsSchema } from "../../gen/iam/v1/object_pb.js";
import type { Written } from "../execute/command.ts";
import type { StoredObject } from "../store/store.ts";

/** Where something that was written or read stands. */
type Recorded = Pick<Written, "owner" | "createdMs" | "changedMs" | "position">;

/** The details of something that these events created. */
export function createdDetails({ owner, changedMs, position }: Recorded): ObjectDetails {
  return create(ObjectDetailsSchema, {
    sequence: position,
    creationDate: timestampFromMs(changedMs),
    changeDate: timestampFromMs(changedMs),
    resourceOwner: owner,
  });
}

/** The details of something that existed before these events. */
export function changedDetails(changed: Recorded): ObjectDetails {
  return { ...createdDetails(changed), creationDate: timestampFromMs(changed.createdMs) };
}

/** The details of something that is read. */
export function readDetails(stored: Omit<StoredObject, "state">): ObjectDetails {
  return changedDetails(stored);
}

/** As `changedDetails` in version 2, which does not say when the object was created. */
export function changedDetailsV2({ owner, changedMs, position }: Recorded): Details {
  return create(DetailsSchema, {
    sequence: position,
    changeDate: timestampFromMs(changedMs),
    resourceOwner: owner,
  });
}

/** Says in the details of an answer, where it has some, at which position it was written. */
export function setSequence(desc: DescMessage, message: Message, position: bigint): void {
  const answer = reflect(desc, message);
  for (const field of answer.fields) {
    if (field.fieldKind !== "message" || !answer.isSet(field)) continue;
    const { message: details } = answer.get(field);
    if (isMessage(details, ObjectDetailsSchema) || isMessage(details, DetailsSchema)) {
      details.sequence = position;
    }
  }
}
