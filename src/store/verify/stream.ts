import type { RecordedEvent } from "../../event.ts";
import { erasureFaults } from "../erasure.ts";
import type { Projection, Projector } from "../projector.ts";
import { nameOf } from "./chain.ts";
import { legible, missing, type Report } from "./text.ts";

/**
 * Checks the versions and the owner of a stream and folds it. Answers what follows from it, or
 * undefined when its events are damaged, so that nothing can be said about what should.
 */
export function checkStream(
  events: readonly RecordedEvent[],
  damaged: ReadonlySet<bigint>,
  projector: Projector,
  report: Report,
): Projection | undefined {
  // An event that is not what was appended has been reported with the log.
  let isSound = !events.some(({ position }) => damaged.has(position));
  const tell: Report = (damage) => {
    isSound = false;
    report(damage);
  };
  checkVersions(events, tell);
  const owner = events[0]?.owner ?? "";
  for (const event of events) {
    if (event.owner === owner) continue;
    tell(
      `${nameOf(event)}: it belongs to ${legible(event.owner)}, its stream to ${legible(owner)}`,
    );
  }
  for (const { event, fault } of erasureFaults(events)) tell(`${nameOf(event)}: ${fault}`);
  return isSound ? fold(events, projector, report) : undefined;
}

function checkVersions(events: readonly RecordedEvent[], report: Report): void {
  let next = 1;
  let before: RecordedEvent | undefined;
  for (const event of events) {
    const { stream, version, position } = event;
    if (version < next) report(`${nameOf(event)}: its version should be ${next} or more`);
    if (version > next) {
      report(`stream ${legible(stream)}: ${missing("version", next, version - 1)}`);
    }
    if (before !== undefined && before.position > position) {
      report(`${nameOf(event)}: version ${before.version} comes later, at ${before.position}`);
    }
    next = Math.max(next, version + 1);
    before = event;
  }
}

function fold(
  events: readonly RecordedEvent[],
  projector: Projector,
  report: Report,
): Projection | undefined {
  try {
    return projector.project(events);
  } catch {
    // What was thrown is not repeated: it may speak of what the event holds.
    for (const event of firstUnfoldable(events, projector)) {
      report(`${nameOf(event)}: ${legible(event.type)} cannot be folded: ${reasonOf(event)}`);
    }
    return undefined;
  }
}

/** Of events that cannot be folded, the one with which that begins, alone. */
function firstUnfoldable(
  events: readonly RecordedEvent[],
  projector: Projector,
): readonly RecordedEvent[] {
  let folded = 0;
  let unfolded = events.length;
  while (unfolded - folded > 1) {
    const middle = Math.floor((folded + unfolded) / 2);
    try {
      projector.project(events.slice(0, middle));
      folded = middle;
    } catch {
      unfolded = middle;
    }
  }
  return events.slice(folded, unfolded);
}

function reasonOf({ payload }: RecordedEvent): string {
  try {
    JSON.parse(payload);
    return "this program knows no such stream or event, or one before it is missing";
  } catch {
    return "its payload is not JSON";
  }
}
