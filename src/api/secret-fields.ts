import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";

/** Empties the fields of a message that the contract calls secrets (`debug_redact`); answers it. */
export function withoutSecrets(desc: DescMessage, message: Message): Message {
  clear(reflect(desc, message));
  return message;
}

/** Whether the contract calls the field a secret. */
export function isSecret({ proto }: DescField): boolean {
  return proto.options?.debugRedact ?? false;
}

function clear(message: ReflectMessage): void {
  for (const field of message.fields) {
    if (isSecret(field)) message.clear(field);
    else if (field.fieldKind === "message" && message.isSet(field)) clear(message.get(field));
  }
}
