import type { LogReader } from "./reader.ts";
import { type Report, shown } from "./text.ts";

/** Whether each owner with messages has a turn: without one they wait forever. */
export async function checkTurns(reader: LogReader, report: Report): Promise<void> {
  for (const { type, owner } of await reader.at((moment) => moment.linesWithoutTurn())) {
    report(`turn of ${shown(owner)} for ${shown(type)}: it is missing`);
  }
}
