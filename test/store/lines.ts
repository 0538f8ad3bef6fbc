import type { StoreLog } from "../../src/store/failure-log.ts";

/** What a store told its operators: the members and the text of each line. */
export interface Lines {
  readonly log: StoreLog;
  at(level: keyof StoreLog): readonly (readonly [members: object, text: string])[];
  all(): readonly unknown[];
}

export function createLines(): Lines {
  const lines: (readonly [level: string, members: object, text: string])[] = [];
  const at = (level: string) => (members: object, text: string) => {
    lines.push([level, members, text]);
  };
  return {
    log: { fatal: at("fatal"), error: at("error"), warn: at("warn"), info: at("info") },
    at: (level) => lines.filter(([of]) => of === level).map(([, ...line]) => line),
    all: () => lines,
  };
}
