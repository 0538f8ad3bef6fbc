import { type ObjectKind, objectsOf } from "./objects.ts";
import type { Operation } from "./operation.ts";
import { type HeaderKind, type Holder, headers, reach } from "./place.ts";
import type { AccessWorld } from "./world.ts";

const headerKinds = Object.keys(headers) as HeaderKind[];

/** One call of the matrix: what the header and the objects are, and what is to come of it. */
export interface Cell {
  readonly name: string;
  readonly sent: HeaderKind;
  /** The organization that the call acts on, or the refusal at the gate. */
  readonly target: string;
  readonly objects: { readonly [kind in ObjectKind]?: string };
  readonly expected: string;
}

/** Every call of a method by a holder of a role. */
export function cellsOf(row: Operation, holder: Holder): readonly Cell[] {
  return headerKinds.flatMap((sent) => {
    const target = atGate(row, holder, sent);
    const passes = target === "own" || target === "foreign";
    const start: Cell = { name: `header ${sent}`, sent, target, objects: {}, expected: "OK" };
    // Each kind of id multiplies the cells; the first one that is refused decides. Where the gate
    // refuses, the first kind shows that objects do not count; and where a header says no more than
    // another one, the first object of each kind will do.
    const isFull = sent === "foreign" || (row.header && sent === "own");
    return row.objects
      .reduce<readonly Cell[]>(
        (cells, kind, index) =>
          cells.flatMap((cell) =>
            Object.entries(objectsOf(kind, holder[1], passes ? target : "own") ?? everywhere)
              .filter((_object, nth) => nth === 0 || (isFull && (passes || index === 0)))
              .map(([object, outcome]) => ({
                ...cell,
                name: `${cell.name}, ${kind} ${object}`,
                objects: { ...cell.objects, [kind]: object },
                expected: cell.expected === "OK" ? outcome : cell.expected,
              })),
          ),
        [start],
      )
      .map((cell) => {
        if (!passes) return { ...cell, expected: target };
        const [role] = holder;
        const passing = role === "no role" ? undefined : row.passing?.(role, target);
        return cell.expected === "OK" ? { ...cell, expected: passing ?? "OK" } : cell;
      });
  });
}

/**
 * What becomes of a call without a look at the object: the organization that it acts on, or the
 * refusal.
 */
function atGate(
  { permission, header, roles, anywhere }: Operation,
  [role, place]: Holder,
  sent: HeaderKind,
): string {
  const target = header ? headers[sent] : "own";
  if (target === headers.twice) return target;
  const isHeld = permission === "authenticated" || (role !== "no role" && roles.includes(role));
  return isHeld && (anywhere || reach[place].includes(target)) ? target : "7 PERMISSION_DENIED";
}

/** Objects for callers whom no table mentions, because the gate refuses them. */
const everywhere = { own: "", foreign: "", unknown: "" };

/** The name of the organization that owns what an accepted call writes or reads. */
export function ownerOf({ target, objects }: Cell): "own" | "foreign" {
  const { member, user, person, joined, action, group, idp, anyIDP, usableIDP, ownIDP } = objects;
  const provider = idp ?? anyIDP ?? usableIDP ?? ownIDP;
  const name = member ?? user ?? person ?? joined ?? action ?? group ?? provider ?? target;
  return (name === "serving" ? "own" : name) as "own" | "foreign";
}

/** The project that a call is about, if it is. */
export function projectIn({ objects }: Cell): keyof AccessWorld["projects"] {
  return (objects.project ?? objects.joinedProject) as keyof AccessWorld["projects"];
}

/** The names of the organizations whose objects the answer of an accepted call shows. */
export function shownTo({ shows }: Operation, cell: Cell): readonly string[] {
  switch (shows) {
    case "all":
      return ["foreign", "own"];
    case "served":
      return [...new Set([cell.target, "own"])].sort();
    case "target":
      return [cell.target];
    case "nothing":
      return [];
    default:
      return [ownerOf(cell)];
  }
}
