/** What of SQL each store has of its own. */
export interface Dialect {
  /** The value of what is so. */
  readonly yes: string;
  /** So many bytes of zero. */
  zeros(count: number): string;
}

const claim = (...texts: readonly [kind: string, scope: string, value: string, stream: string]) =>
  `INSERT INTO claims (kind, scope, value, stream)
   VALUES (${texts.map((text) => `'${text}'`).join(", ")})`;
const field = (folded: string, first: number) =>
  `INSERT INTO fields VALUES ('thing', '', 'name', '${folded}', ${first})`;

type Damage = readonly [sql: string, ...lines: readonly string[]];

const ghost = (mac: string) =>
  `INSERT INTO objects
     (first, stream, version, owner, kind, parent, fields, created, changed, position, state, mac)
   VALUES (999, 'ghost', 1, 'o', 'thing', '', '{}', 0, 0, 999, '{}', ${mac})`;
const object = (columns: string) => `object thing-3: not what follows from its events: ${columns}`;
/** The line about an object that somebody else has written. */
export const forged = (stream = "thing-3") =>
  `object ${stream}: it is not what was written (its MAC)`;
/** What is said of a claim that nobody should hold, where a stream without events holds it. */
const nobody = "no event explains it";
export const lostField = ["field name of thing-3: it is missing"];
export const orphaned = (name: string) => `field ${name} of thing-3: no event explains it`;
const ofThing3 = "WHERE stream = 'thing-3'";

/** Each damage of what follows from the log of `live`, and the lines about it, in any order. */
export const derivedDamages = ({ yes, zeros }: Dialect): readonly Damage[] => [
  [`UPDATE objects SET version = 99 ${ofThing3}`, forged(), object("version")],
  [`UPDATE objects SET owner = 'x' ${ofThing3}`, forged(), object("owner")],
  [
    `UPDATE objects SET kind = 'x' ${ofThing3}`,
    forged(),
    object("kind"),
    "count of x under p-1: it is missing, and should be 1",
    "count of thing under p-1: no object explains it",
  ],
  [
    `UPDATE objects SET parent = 'x' ${ofThing3}`,
    forged(),
    object("parent"),
    "count of thing under x: it is missing, and should be 1",
    "count of thing under p-1: no object explains it",
  ],
  [`UPDATE objects SET fields = '{"name":"X"}' ${ofThing3}`, forged(), object("fields")],
  [`UPDATE objects SET first = 99 ${ofThing3}`, forged(), object("first")],
  [`UPDATE objects SET position = 99 ${ofThing3}`, forged(), object("position")],
  [`UPDATE objects SET created = 1 ${ofThing3}`, forged(), object("created")],
  [`UPDATE objects SET changed = 1 ${ofThing3}`, forged(), object("changed")],
  [`UPDATE objects SET state = '{"name":"X"}' ${ofThing3}`, forged(), object("state")],
  [`UPDATE objects SET state = '{' ${ofThing3}`, forged(), object("state")],
  [`UPDATE objects SET state = NULL ${ofThing3}`, forged(), object("state")],
  [
    `UPDATE objects SET version = 4, position = 12, changed = 1 ${ofThing3}`,
    forged(),
    object("changed, position, version"),
  ],
  [
    "UPDATE objects SET state = '{}' WHERE stream = 'thing-1'",
    forged("thing-1"),
    "object thing-1: not what follows from its events: state",
  ],
  [`UPDATE objects SET mac = ${zeros(32)} ${ofThing3}`, forged()],
  [
    `UPDATE objects SET mac = (SELECT mac FROM objects WHERE stream = 'thing-4') ${ofThing3}`,
    forged(),
  ],
  [`UPDATE objects SET state = '{ "parent": "p-1", "name": "Gamma" }' ${ofThing3}`, forged()],
  [
    "DELETE FROM objects WHERE stream = 'thing-3'",
    "object thing-3: it is missing",
    "count of thing under p-1: no object explains it",
  ],
  ["DELETE FROM objects WHERE stream = 'thing-1'", "object thing-1: it is missing"],
  [
    ghost(zeros(32)),
    forged("ghost"),
    "object ghost: no event explains it",
    'count of thing under "": it is 1, not 2',
  ],
  [
    `${ghost(zeros(32))};
    ${field("ghost", 999)}`,
    forged("ghost"),
    "object ghost: no event explains it",
    "field name of ghost: no event explains it",
    'count of thing under "": it is 1, not 2',
  ],
  [
    "DELETE FROM claims WHERE scope = 'org-1'",
    "claim name (scope org-1, value gamma): it is missing, but thing-3 should hold it",
  ],
  [
    claim("name", "org-1", "x", "thing-1"),
    "claim name (scope org-1, value x): no event explains that thing-1 holds it",
  ],
  [claim("name", "org-1", "x", "ghost"), `claim name (scope org-1, value x): ${nobody}`],
  [
    "UPDATE claims SET stream = 'thing-4' WHERE scope = 'org-1'",
    "claim name (scope org-1, value gamma): it is held by thing-4, but thing-3 should hold it",
    "claim name (scope org-1, value gamma): no event explains that thing-4 holds it",
  ],
  [
    "UPDATE claims SET value = 'x' WHERE scope = 'org-1'",
    "claim name (scope org-1, value gamma): it is missing, but thing-3 should hold it",
    "claim name (scope org-1, value x): no event explains that thing-3 holds it",
  ],
  [claim("name", "", "a\nb", "ghost"), String.raw`claim name (scope "", value "a\nb"): ${nobody}`],
  [
    claim("name", "s", "x".repeat(201), "ghost"),
    `claim name (scope s, value "${"x".repeat(200)}"…): ${nobody}`,
  ],
  [
    claim("name", "s", "x".repeat(200), "ghost"),
    `claim name (scope s, value ${"x".repeat(200)}): ${nobody}`,
  ],
  ["DELETE FROM fields WHERE first = 1", "field name of thing-3: it is missing"],
  [
    "UPDATE fields SET folded = 'x' WHERE first = 1",
    "field name of thing-3: it is missing",
    "field name of thing-3: no event explains it",
  ],
  [
    "UPDATE fields SET kind = 'x', parent = 'y' WHERE first = 1",
    "field name of thing-3: it is missing",
    "field name of thing-3: no event explains it",
  ],
  [
    "UPDATE fields SET name = 'x' WHERE first = 1",
    "field name of thing-3: it is missing",
    "field x of thing-3: no event explains it",
  ],
  [
    "UPDATE fields SET first = 4 WHERE first = 1",
    "field name of thing-3: it is missing",
    "field name of thing-3: no event explains it",
  ],
  [field("epsilon", 2), "field name of thing-1: no event explains it"],
  [field("ghost", 999), "field name of the thing from position 999: no event explains it"],
  [
    "INSERT INTO fields VALUES ('thing', 'p-1', 'name', 'a', 1)",
    "field name of thing-3: no event explains it",
  ],
  [`UPDATE texts SET listed = NOT ${yes} WHERE tie = 1`, ...lostField, orphaned('""')],
  ["UPDATE texts SET tie = 7 WHERE tie = 1", ...lostField, orphaned('""')],
  ["UPDATE texts SET list = 99 WHERE tie = 1", ...lostField, orphaned('""')],
  [
    `UPDATE texts SET listed = ${yes} WHERE tie = 0 AND first = 1`,
    "field name of thing-3: no event explains it",
  ],
  [
    "UPDATE counts SET objects = 2 WHERE parent = 'p-1'",
    "count of thing under p-1: it is 2, not 1",
  ],
  [
    "UPDATE counts SET parent = 'x' WHERE parent = 'p-1'",
    "count of thing under p-1: it is missing, and should be 1",
    "count of thing under x: no object explains it",
  ],
  [
    "DELETE FROM counts",
    'count of thing under "": it is missing, and should be 1',
    "count of thing under p-1: it is missing, and should be 1",
  ],
  [
    "DELETE FROM messages WHERE position = 12",
    "message code of the event at position 12: it is missing, but thing-3 asked for it",
  ],
  [
    `INSERT INTO messages (position, field, due, since, attempts, type, owner)
     VALUES (11, 'code', 0, 0, 0, 'thing.asked', 'org-1')`,
    "message code of the event at position 11: no event explains it",
  ],
  [
    `INSERT INTO messages (position, field, due, since, attempts, type, owner)
     VALUES (9, 'code', 0, 0, 0, 'thing.asked', 'org-1')`,
    "message code of the event at position 9: no event explains it",
  ],
  [
    `INSERT INTO messages (position, field, due, since, attempts, type, owner)
     VALUES (999, 'code', 0, 0, 0, 'thing.asked', 'org-1')`,
    "message code of the event at position 999: no event explains it",
  ],
  [
    "UPDATE messages SET field = 'x' WHERE position = 12",
    "message code of the event at position 12: it is missing, but thing-3 asked for it",
    "message x of the event at position 12: no event explains it",
  ],
  [
    "UPDATE messages SET type = 'x', owner = 'y' WHERE position = 12",
    "message code of the event at position 12: not what follows from its events: owner, type",
    "turn of y for x: it is missing",
  ],
  ["DELETE FROM turns WHERE owner = 'org-1'", "turn of org-1 for thing.asked: it is missing"],
  [
    "DELETE FROM projection",
    "projection: its rows are of revision none, this program makes 1: rebuild, then verify again",
  ],
];
