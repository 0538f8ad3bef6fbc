import type { LogReader } from "./reader.ts";
import { legible, type Report } from "./text.ts";

/** Whether each owner with messages has a turn: without one they wait forever. */
export async function checkTurns(reader: LogReader, report: Report): Promise<void> {
  for (const { type, owner } of await reader.at((moment) => moment.linesWithoutTurn())) {
    report(`turn of ${legible(owner)} for ${legible(type)}: it is missing`);
  }
}
