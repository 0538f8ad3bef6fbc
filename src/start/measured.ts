import type { CallLine, RefusalLine } from "../gateway/call/call.ts";
import type { Measures } from "../metrics/measures.ts";
import type { RequestLine } from "../provider/base/parts.ts";
import type { Passwords } from "../secrets/passwords/passwords.ts";
import type { Store } from "../store/store.ts";

type Hear<Line> = (line: Line) => void;

/** The parts of a service whose work is measured. */
interface MeasuredParts {
  readonly log: Store;
  readonly passwords: Passwords;
  readonly logs: {
    readonly logCall: Hear<CallLine>;
    readonly logRequest: Hear<RequestLine>;
    readonly logRefusal: Hear<RefusalLine>;
  };
  readonly measures?: Measures;
}

/** The parts of a service as they are measured; as they are where nothing is. */
export function measuredParts<Parts extends MeasuredParts>(parts: Parts): Parts {
  const { measures, logs } = parts;
  if (measures === undefined) return parts;
  return {
    ...parts,
    log: measures.store(parts.log),
    passwords: measures.passwords(parts.passwords),
    logs: {
      ...logs,
      logCall: both(logs.logCall, measures.call),
      logRequest: both(logs.logRequest, measures.request),
      logRefusal: both(logs.logRefusal, measures.refusal),
    },
  };
}

/** Each line is logged, and counted. */
function both<Line>(log: Hear<Line>, count: Hear<Line>): Hear<Line> {
  return (line) => {
    log(line);
    count(line);
  };
}
