import type { Fault } from "./fault.ts";

/** Mistakes in sending mails and SMS, and in what is told of those that nobody takes. */
export const sendingFaults: readonly Fault[] = [
  [
    "failing mails told by nobody",
    ["../../notify/deliver.ts", "if (signal.aborted) return", "if (true) return"],
  ],
  [
    "mails that were called off taken for failing",
    ["../../notify/deliver.ts", "if (signal.aborted) return", "if (false) return"],
  ],
  [
    "each failure taken for the first",
    ["../../notify/channel/trouble.ts", "before?.sinceMs ?? nowMs", "nowMs"],
  ],
  [
    "failing mails told after a success",
    [
      "../../notify/channel/trouble.ts",
      'await artifacts.write([{ kind: "remove", key: keyOf(channel) }], nowMs);',
      "",
    ],
  ],
  [
    "a mailbox that is not there taken for failing mails",
    ["../../notify/channel/trouble.ts", `if (attempt.kind === "refused") return;`, ""],
  ],
  [
    "failing mails told at once",
    ["../../notify/channel/trouble.ts", "failingMs < troubleLimits.untoldMs", "failingMs < 0"],
  ],
  [
    "failing mails told by the process alone",
    ["../../start/service.ts", "tellingTroubles(store)", "store"],
  ],
  [
    "codes sent that wrong ones have spent",
    [
      "../../domain/user/credential/delivery.ts",
      "if (isSpent({ failures }, nowMs)) return",
      "if (!to) return",
    ],
  ],
  [
    "codes sent to who is out of use",
    [
      "../../domain/user/credential/delivery.ts",
      "user?.isInactive && hasCode(type)",
      "user === null",
    ],
  ],
  [
    "notices kept from who is out of use",
    [
      "../../domain/user/credential/delivery.ts",
      "user?.isInactive && hasCode(type)",
      "user?.isInactive",
    ],
  ],
  [
    "codes given up while an organization is inactive",
    ["../../notify/deliver.ts", "findDestination(own,", "findDestination(state,"],
  ],
  [
    "codes sent while an organization is inactive",
    ["../../notify/deliver.ts", "if (state.isInactive && hasCode", "if (own.isInactive && hasCode"],
  ],
  [
    "mails given up that the operator could save",
    ["../../notify/channel/email.ts", `  if (detail !== "") return ofMail`, "  return true;\n//"],
  ],
  [
    "mails given up for what is said of their sender",
    ["../../notify/channel/email.ts", "1\\.(?![78]$)", "1\\."],
  ],
  [
    "mails past their limit refused as SMS",
    ["../../domain/sending.ts", 'const isSms = channel === "sms";', "const isSms = true;"],
  ],
  [
    "SMS with the id of one of another log",
    ["../../notify/channel/sms.ts", "messageId: nameOf(message)", "messageId: message.id"],
  ],
  [
    "file in the outbox named as one of another log",
    ["../../notify/channel/outbox.ts", "`${nameOf(message)}.", "`${message.id}."],
  ],
  [
    "files of the outbox left that have a digest",
    ["../../notify/channel/outbox-sweep.ts", "(?:\\.[\\da-f]+)?", ""],
  ],
];
