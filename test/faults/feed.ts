import type { Fault } from "./fault.ts";

/** Mistakes in following the end of the log for all who wait for it. */
export const feedFaults: readonly Fault[] = [
  [
    "more events held than may be",
    [
      "../feed.ts",
      "held.length - gone > limits.heldEvents",
      "held.length - gone > limits.heldEvents + 1",
    ],
  ],
  ["forged end of the tail kept", ["../feed.ts", "        end = undefined;\n", ""]],
  ["any bytes held", ["../feed.ts", " || bytes > limits.heldBytes", ""]],
  ["what was erased held", ["../feed.ts", "held = [...withoutErased(held)];", ""]],
  ["what is held shown for ever", ["../feed.ts", "isOld || end", "end"]],
  ["start of what is held not moved", ["../feed.ts", "start += BigInt(gone);", ""]],
  [
    "all that was written meanwhile read for those who wait",
    ["../feed.ts", " || head.position - end > limits.heldEvents", ""],
  ],
  [
    "gap in what is held",
    ["../feed.ts", "[held, bytes, start, end] = [[], 0,", "[start, end] = ["],
  ],
  [
    "end of another log held behind that of the one before",
    ["../feed.ts", "isAnother = !isThere(linkAt(end), await store.linkAt(end));", ""],
  ],
  ["who waits not told that the log is another", ["../feed.ts", " || read.isAnother)", ")"]],
  [
    "log that ends before what was read of it taken for the same",
    [
      "../feed.ts",
      "let isAnother = end !== undefined && head.position < end;",
      "let isAnother = false;",
    ],
  ],
  ["answers from before what is held", ["../feed.ts", "query.after < start || ", ""]],
  ["answers from behind the end", ["../feed.ts", " || query.after > end", ""]],
  [
    "page of the tail including its start",
    ["../feed.ts", "query.after - start", "query.after - start - 1n"],
  ],
  ["page of the tail without its limit", ["../feed.ts", "found.length === limit || ", ""]],
  [
    "page of the tail of any size",
    ["../feed.ts", " || (bytes > bytesMax && found.length > 0)", ""],
  ],
  [
    "too large an event of the tail never told",
    ["../feed.ts", "bytes > bytesMax && found.length > 0", "bytes > bytesMax"],
  ],
  [
    "tail that skips what found no room",
    ["../feed.ts", "found.at(-1)?.position ?? query.after", "end"],
  ],
  [
    "end of the tail never told",
    ["../feed.ts", "through: end, isEnd: true", "through: end, isEnd: false"],
  ],
  ...["streams, event.stream", "types, event.type"].map(
    (both): Fault => [
      `tail ignoring ${both.split(",")[0]}`,
      ["../feed.ts", `isAmong(${both}) &&`, ""],
    ],
  ),
  ["tail ignoring kinds", ["../feed.ts", "kinds === undefined || isOfKind", "true || isOfKind"]],
  ["tail ignoring owner", ["../feed.ts", "owner === undefined || event", "true || event"]],
  ["tail ignoring actor", ["../feed.ts", "actor === undefined || event", "true || event"]],
  ["several looks at once", ["../feed.ts", "looking = looking.then(look);", "looking = look();"]],
  [
    "what others write not looked at",
    ["../feed.ts", "if (waiters.size > 0) lookAfter(feedLimits.pollMs);", ""],
  ],
  [
    "what this process writes not looked at",
    ["../feed.ts", "if (waiters.size > 0) lookAfter(gatherMs());", ""],
  ],
  [
    "told before the log has grown",
    ["../feed.ts", "read.end > position ||", "read.end >= position ||"],
  ],
];
