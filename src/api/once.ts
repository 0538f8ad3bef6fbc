import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { accept, type Rejection, reject } from "../domain/decision.ts";
import { holdsAll, type Membership } from "../domain/permission.ts";
import { user } from "../domain/user/state/user.ts";
import type { Outcome, Remembering } from "../execute/command.ts";
import type { AnswerSeal } from "../secrets/answer-seal.ts";
import { isSame } from "../secrets/same.ts";
import type { RememberedAnswer } from "../store/answer.ts";
import { actorOf, type Call, callKey, Refused, refuse, rememberingKey } from "./call.ts";
import { setSequence } from "./details.ts";
import { withoutSecrets } from "./secret-fields.ts";
import { requireDone, type Service } from "./service.ts";

/** The function behind a unary method: from its request to an answer of its response type. */
export type UnaryHandler = (
  message: Message,
  context: HandlerContext,
) => Promise<MessageInitShape<DescMessage>> | MessageInitShape<DescMessage>;

/** The header of an answer that was given before: what of it is there. */
export const replayedHeader = "idempotent-replayed";

/** Its values: all of it, or all but a secret that is not told any more. */
export const replayed = { whole: "true", withoutSecret: "without-secret" } as const;

/** What is remembered of a call for as long as its key is. */
interface Kept {
  /** What the caller held, by which it was let in. */
  readonly memberships: readonly Membership[];
  readonly end:
    | {
        readonly answer: string;
        readonly hasSecret: boolean;
        /** Its last event, whose position the log has; left out, the answer has it. */
        readonly written?: { readonly stream: string; readonly version: number };
      }
    | { readonly rejection: Rejection };
}

/**
 * The handler of a method that does once what a call with an idempotency key asks for, however
 * often it comes: the first one has its end remembered with the events that it appends, and the
 * others are answered with that. Calls without a key are the handler's, as they are.
 */
export function once(service: Service, method: DescMethod, handle: UnaryHandler): UnaryHandler {
  return (message, context) => {
    const call = context.values.get(callKey);
    if (call?.shownKey === undefined) return handle(message, context);
    const called = `${method.parent.typeName}/${method.name}`;
    const seal = call.shownKey({ caller: call.caller.userId, method: called });
    return answerOnce({ service, method, handle, call, seal }, message, context);
  };
}

interface KeyedCall {
  readonly service: Service;
  readonly method: DescMethod;
  readonly handle: UnaryHandler;
  readonly call: Call;
  readonly seal: AnswerSeal;
}

async function answerOnce(
  keyed: KeyedCall,
  message: Message,
  context: HandlerContext,
): Promise<MessageInitShape<DescMessage>> {
  const print = keyed.seal.print(requestBytes(keyed, message));
  const earlier = await repeat(keyed, print, context);
  if (earlier !== undefined) return earlier;
  context.values.set(rememberingKey, remembering(keyed, print));
  try {
    return await keyed.handle(message, context);
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    // What it was refused for may be what the same call has done meanwhile.
    const meanwhile = await repeat(keyed, print, context);
    if (meanwhile === undefined) throw thrown;
    return meanwhile;
  }
}

/** All that the call asks for, in one way of writing it: fields by their numbers. */
function requestBytes({ method, call }: KeyedCall, message: Message): Uint8Array {
  const organization = Buffer.from(JSON.stringify(call.organization));
  return Buffer.concat([
    organization,
    toBinary(method.input, message, { writeUnknownFields: false }),
  ]);
}

/** How the end of the call is remembered: all that can be read of it is sealed. */
function remembering({ service, method, call, seal }: KeyedCall, print: Uint8Array): Remembering {
  const { memberships } = call.caller;
  const { random } = service;
  const sealKept = (kept: Kept) => seal.seal("answer", Buffer.from(JSON.stringify(kept)), random);
  return {
    key: seal.name,
    keep(outcome: Outcome<unknown>): RememberedAnswer {
      if (outcome.kind !== "done") {
        if (outcome.kind === "conflict") throw new TypeError("a conflict is no end to remember");
        const end = { rejection: outcome.rejection };
        return { request: print, answer: sealKept({ memberships, end }), secret: undefined };
      }
      const { output } = method;
      const whole = create(output, outcome.answer as MessageInitShape<DescMessage>);
      const bytes = toBinary(output, whole);
      const open = toBinary(output, withoutSecrets(output, fromBinary(output, bytes)));
      const hasSecret = open.byteLength < bytes.byteLength;
      const [{ stream, version } = { stream: "", version: 0 }] = outcome.written;
      const text = Buffer.from(open).toString("base64");
      const end = { answer: text, hasSecret, written: { stream, version } };
      return {
        request: print,
        answer: sealKept({ memberships, end }),
        secret: hasSecret ? seal.seal("secret", bytes, random) : undefined,
      };
    },
  };
}

/** What the same call came to before; undefined where there was none. Throws its refusal. */
async function repeat(
  { service, method, seal }: KeyedCall,
  print: Uint8Array,
  context: HandlerContext,
): Promise<Message | undefined> {
  const found = await service.store.recall(seal.name, service.now());
  if (found === undefined) return undefined;
  // Another token makes other prints: what it asks for is not known to be the same.
  const kept = isSame(found.request, print) ? readKept(seal, found) : undefined;
  await judgeAgain(service, kept?.memberships ?? [], context);
  if (kept === undefined) refuse("IDEMPOTENCY_KEY_REUSED");
  const { end } = kept;
  if ("rejection" in end) throw new Refused(end.rejection);
  const isWhole = !end.hasSecret || found.secret !== undefined;
  context.responseHeader.set(replayedHeader, isWhole ? replayed.whole : replayed.withoutSecret);
  const bytes = found.secret
    ? seal.open("secret", found.secret)
    : Buffer.from(end.answer, "base64");
  const message = fromBinary(method.output, bytes);
  if (end.written !== undefined) {
    const { stream, version } = end.written;
    const [event] = await service.store.readStream(stream, version - 1, 1);
    setSequence(method.output, message, event?.position ?? 0n);
  }
  return message;
}

function readKept(seal: AnswerSeal, { answer }: RememberedAnswer): Kept {
  return JSON.parse(Buffer.from(seal.open("answer", answer)).toString());
}

/**
 * Resolves where the caller, as it is now, may still make the call, and holds all that it held when
 * it was answered: which of that the decision relied on is not known any more. Throws `Refused`.
 */
async function judgeAgain(
  { execute }: Service,
  memberships: readonly Membership[],
  context: HandlerContext,
): Promise<void> {
  const command = actorOf(context);
  const outcome = await execute({
    ...command,
    writes: {},
    relies: { caller: { noun: user, id: command.actor } },
    decide: ({ caller }) =>
      holdsAll(caller?.memberships ?? [], memberships)
        ? accept({})
        : reject(
            "PERMISSION_DENIED",
            "The caller has lost a role since the first call with this key.",
          ),
  });
  requireDone(outcome);
}
