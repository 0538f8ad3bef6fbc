import type { Config } from "../../src/config/config.ts";
import { sendLimits } from "../../src/domain/sending.ts";

/** A setting with texts for it. */
export interface Row {
  readonly key: keyof Config;
  /** A text that is not the default, and what it means. */
  readonly text: string;
  readonly value: Config[keyof Config];
  /** Texts at the edges that are accepted, too. */
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/** The settings that replace limits. */
export const limitRows: readonly Row[] = [
  {
    ...{ key: "bodyBytesMax", text: "2048", value: 2048 },
    good: ["1024", "16777216"],
    bad: ["", "1023", "16777217", "1MiB"],
  },
  ...(Object.keys(sendLimits) as (keyof typeof sendLimits)[]).map((key) => ({
    ...{ key, text: "5", value: 5 },
    ...{ good: ["1", "1000000"], bad: ["", "0", "1000001", "none"] },
  })),
  {
    ...{ key: "requestTimeoutMs", text: "5000", value: 5000 },
    good: ["100", "600000"],
    bad: ["", "99", "600001", "5s"],
  },
  ...(["callerRate", "addressRate"] as const).map((key) => ({
    ...{ key, text: "5", value: 5 },
    ...{ good: ["", "1", "1000000"], bad: ["0", "-1", "1000001", "0.5", "none"] },
  })),
  ...(["callerBurst", "addressBurst"] as const).map((key) => ({
    ...{ key, text: "5", value: 5 },
    ...{ good: ["1", "1000000"], bad: ["", "0", "1000001"] },
  })),
  {
    ...{ key: "drainMs", text: "5000", value: 5000 },
    good: ["0", "600000"],
    bad: ["", "-1", "600001", "5s"],
  },
  {
    ...{ key: "stopGraceMs", text: "1", value: 1 },
    good: ["0", "600000"],
    bad: ["", "-1", "600001"],
  },
];
