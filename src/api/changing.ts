import type { DescField, DescMethod, DescOneof, Message } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { type Decision, type Refusal, rejectFields, type Violation } from "../domain/decision.ts";
import { expectedKey } from "./call.ts";
import type { MessageRules } from "./field-rule.ts";
import type { UnaryHandler } from "./once.ts";

/** A request to change something that the caller has read. */
interface Changing extends Message {
  readonly expectedSequence: bigint;
}

/** One of which a mask may name a part. */
export interface Masked extends Changing {
  readonly updateMask?: FieldMask | undefined;
}

/** The key under which it stands what fields of a whole request decide together. */
const togetherKey = createContextKey<MessageRules["together"]>(undefined, {
  description: "together",
});

/**
 * The handler of a method: where its request says at which sequence, its command expects that, and
 * `decideWhole` knows the rules of several fields.
 */
export function changing(
  { input }: DescMethod,
  rules: ReadonlyMap<string, MessageRules>,
  handle: UnaryHandler,
): UnaryHandler {
  if (!("expectedSequence" in input.field)) return handle;
  const together = rules.get(input.typeName)?.together;
  return (message, context) => {
    const { expectedSequence } = message as Changing;
    context.values.set(expectedKey, expectedSequence === 0n ? undefined : expectedSequence);
    context.values.set(togetherKey, together);
    return handle(message, context);
  };
}

/**
 * Decides on a request as a whole: what its mask does not name is as the object has it, under the
 * same names. Rules of several fields are judged on that, behind the decision, which may conceal
 * the object.
 */
export function decideWhole<Request extends Masked, Made extends Decision<object>>(
  request: Request,
  context: HandlerContext,
  current: object | undefined,
  decide: (whole: Request) => Made,
): Made | Refusal {
  const { updateMask } = request;
  if (updateMask === undefined || current === undefined) return decide(request);
  const named = new Set(updateMask.paths);
  const left = context.method.input.members.filter((member) => !isNamed(member, named));
  const kept = left.flatMap(({ localName }) =>
    localName in current ? [[localName, current[localName as keyof typeof current]]] : [],
  );
  const whole = { ...request, ...Object.fromEntries(kept) };
  const decision = decide(whole);
  if (decision.rejection !== undefined) return decision;
  const broken: readonly Violation[] = context.values.get(togetherKey)?.(whole as never) ?? [];
  return broken.length > 0 ? rejectFields(broken) : decision;
}

function isNamed(member: DescField | DescOneof, named: ReadonlySet<string>): boolean {
  return member.kind === "field"
    ? named.has(member.name)
    : member.fields.some(({ name }) => named.has(name));
}
