import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { streamOf } from "../domain/noun.ts";
import { user } from "../domain/user/state/user.ts";
import type { LogIdentity } from "../store/chain/chain.ts";
import { createEntrySeal } from "../store/chain/erasure-entry.ts";
import type { Attested, ErasureList } from "../store/verify/erasures.ts";
import type { Report } from "../store/verify/text.ts";
import type { Verified } from "../store/verify/verified.ts";
import { type ErasurePlace, erasingPeople, erasurePlacesOf } from "./erasure-places.ts";
import { readPlace } from "./head-places.ts";
import { damageLinesMax, type Say } from "./maintain.ts";
import { readEntries } from "./read-entries.ts";

/** Where lists of erasures lie, and whose they are to be; without its key, no line is proved. */
interface Beside extends Pick<Config, "dataDir" | "anchorUrl"> {
  readonly own: LogIdentity | undefined;
}

/**
 * Verifies a log and compares it with the lists of erasures outside of it. Reports who is there
 * though a list says that the person was erased, who is missing in a list, and forged lines.
 */
export async function besideErasures(
  { dataDir, anchorUrl, own }: Beside,
  verify: (erasures: readonly ErasureList[]) => Promise<Verified>,
  report: Report,
): Promise<Verified> {
  const lists = await Promise.all(
    erasurePlacesOf(anchorUrl, resolve(dataDir)).map((place) => openList(place, own)),
  );
  const verified = await verify(lists);
  const said = await Promise.all(lists.map(({ tell }) => tell(report)));
  const unchecked = [verified.unchecked ?? [], ...said].flat();
  return { ...verified, unchecked: unchecked.join("\n") || undefined };
}

interface OpenList extends ErasureList {
  /** Reports what is wrong with the list; answers what could not be compared, as sentences. */
  tell(report: Report): Promise<readonly string[]>;
}

async function openList(place: ErasurePlace, own: LogIdentity | undefined): Promise<OpenList> {
  const { name } = place;
  const before = await read(place, own);
  const lacking: string[] = [];
  return {
    name,
    type: erasingPeople,
    streams: before.streams,
    lacks: (stream) => lacking.push(stream),
    tell: async (report) => {
      if (before.forged > 0) {
        const lines = before.forged === 1 ? "a line" : `${before.forged} lines`;
        report(`erasures: the list in ${name} has ${lines} not sealed with the key of the log`);
      }
      if (lacking.length === 0) return [];
      const todo = "a start of the service adds them";
      if (before.why !== undefined) {
        return [`Erasures were not compared with a list in ${name}: ${before.why}; ${todo}.`];
      }
      // The log may have gone on meanwhile.
      const { streams } = await read(place, own);
      for (const stream of lacking.filter((one) => !streams.has(one))) {
        report(`stream ${stream}: it was erased, and the list in ${name} has not that: ${todo}`);
      }
      return [];
    },
  };
}

interface Listed {
  readonly streams: ReadonlySet<string>;
  /** How many lines of this log nobody has sealed who has its key. */
  readonly forged: number;
  /** Why nothing is known of the list. */
  readonly why: string | undefined;
}

async function read(place: ErasurePlace, own: LogIdentity | undefined): Promise<Listed> {
  const found = await readPlace(place);
  if ("why" in found) return { streams: new Set(), forged: 0, why: found.why };
  const seal = own && createEntrySeal(own.key);
  const { entries, forged } = await readEntries(found.text, { log: own?.id, seal });
  const streams = new Set(entries.map((entry) => streamOf(user, entry.user)));
  return { streams, forged, why: undefined };
}

/** Notes erasures that nothing proves: those behind the position that somebody vouches for. */
export function noteUnattested(
  through: bigint,
): Attested & { /** Says which; answers whether there are none. */ tell(say: Say): boolean } {
  const positions: bigint[] = [];
  let more = 0;
  return {
    through,
    lacks: ({ position }) => {
      if (positions.length < damageLinesMax) positions.push(position);
      else more += 1;
    },
    tell: (say) => {
      if (positions.length === 0) return true;
      const listed = positions.toSorted((a, b) => Number(a - b)).join(", ");
      say(
        "Nothing proves the erasures behind the checkpoint. Without the master key, anybody may " +
          `have taken the payloads at these positions: ${listed}${more > 0 ? `, and ${more} more` : ""}.`,
      );
      return false;
    },
  };
}
