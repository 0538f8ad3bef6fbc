import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Problem, Violation } from "../domain/decision.ts";
import { lineProblem, nameProblem } from "../domain/name.ts";
import { emailProblem } from "../domain/user/human/email.ts";
import { toNanos } from "./duration.ts";

/**
 * A rule of the domain on what one field says by itself. It is asked about texts that are there and
 * keep the rules of the contract, of a list about each entry, and may have to load something first.
 */
export interface FieldRule<Value = never> {
  /** The rule as the contract says it, in the comment of each field that has the rule. */
  readonly says: string;
  problemOf(value: Value): Problem | Promise<Problem>;
}

/** The rules of a message: those of its fields, by their names in TypeScript, and of several. */
export interface MessageRules {
  readonly fields: { readonly [localName: string]: FieldRule };
  /** Broken rules that several fields decide together; paths begin in the message. */
  readonly together?: (message: never) => readonly Violation[];
}

/** A rule of texts. */
export const text = (says: string, problemOf: FieldRule<string>["problemOf"]) => ({
  says,
  problemOf,
});
/** A rule of durations, in nanoseconds. */
export const time = (says: string, problemOf: (nanos: number) => Problem): FieldRule<Duration> => ({
  says,
  problemOf: (duration) => problemOf(toNanos(duration)),
});

/** What names and lines are without. */
export const plain =
  "without control characters, line breaks, bidirectional control characters and letters that " +
  "look blank";
/** What keys have to be that stand in paths. */
export const pathKey =
  "the first of which is no underscore, with no part of one or two dots between slashes, " +
  "question marks or number signs";
/** The rule of names. */
export const name = text(`not blank, ${plain}`, nameProblem);
/** The rule of names that may be blank. */
export const line = text(plain, lineProblem);
/** The rule of e-mail addresses. */
export const email = text(
  "one plain address: up to 64 bytes without %, ! and =? before the @, a host name behind it",
  emailProblem,
);

/** The rules of a message by its name; a rule of a field that it does not have does not compile. */
export function rulesOf<Desc extends DescMessage>(
  schema: Desc,
  fields: { readonly [Name in keyof Desc["field"]]?: FieldRule },
  together?: (message: MessageShape<Desc>) => readonly Violation[],
): readonly [typeName: string, MessageRules] {
  return [
    schema.typeName,
    { fields: fields as MessageRules["fields"], ...(together ? { together } : {}) },
  ];
}
