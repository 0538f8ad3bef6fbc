import { type Cursor, type Filter, type ListQuery, listLimits } from "../../../src/store/query.ts";
import type { ObjectPage } from "../../../src/store/store.ts";
import { foldText } from "../../../src/text/fold.ts";
import { type Database, headOf, type KeptObject, objectOf } from "./database.ts";
import { within } from "./search.ts";

/** Lists objects, as `Store.list` says. */
export function listIn(db: Database, query: ListQuery): ObjectPage {
  const { kind, parents, where, sortBy, descending = false, after, offset, limit } = query;
  const matching = [...db.objects.values()].filter(
    (object) =>
      object.row?.kind === kind &&
      (parents?.includes(object.row.parent) ?? true) &&
      (where === undefined || isMatch(db, object, where)),
  );
  const direction = descending ? -1 : 1;
  const sorted = matching
    .map((object) => ({ object, place: placeOf(object, sortBy) }))
    .sort((one, other) => direction * comparePlaces(one.place, other.place))
    .filter(({ place }) => after === undefined || direction * comparePlaces(place, after) > 0)
    .slice(offset, offset + limit + 1);
  const wanted = sorted.slice(0, limit);
  const bytesMax = Math.min(query.stateBytes ?? Infinity, listLimits.stateBytes);
  const page = within(wanted, ({ object }) => object.state, bytesMax);
  return {
    total: matching.length,
    objects: page.map(({ object }) => objectOf(db, object.stream)),
    isCut: page.length < wanted.length,
    end: page.length < sorted.length ? page.at(-1)?.place : undefined,
    head: headOf(db),
  };
}

function placeOf({ row, first }: KeptObject, sortBy: string | undefined): Cursor {
  return sortBy === undefined ? { first } : { first, folded: foldText(row?.fields[sortBy] ?? "") };
}

function comparePlaces(one: Cursor, other: Cursor): number {
  // By code points, which is the order of bytes in UTF-8.
  const folded = Buffer.compare(Buffer.from(one.folded ?? ""), Buffer.from(other.folded ?? ""));
  if (folded !== 0) return folded;
  return one.first === other.first ? 0 : one.first < other.first ? -1 : 1;
}

function isMatch(db: Database, object: KeptObject, filter: Filter): boolean {
  switch (filter.kind) {
    case "text": {
      const text = object.row?.fields[filter.field];
      if (text === undefined) return false;
      const { method, value, ignoreCase } = filter;
      const ways = { equals, "starts-with": startsWith, contains, "ends-with": endsWith, above };
      const isSo = ways[method];
      return isSo(foldText(text), foldText(value)) && (ignoreCase || isSo(text, value));
    }
    case "one-of":
      return filter.values.includes(object.row?.fields[filter.field] ?? "\0");
    case "streams":
      return filter.streams.includes(object.stream);
    case "holds":
      return [...db.claims.values()].some(
        ({ kind, scope, stream }) =>
          stream === object.stream && kind === filter.claims && filter.scopes.includes(scope),
      );
    case "and":
      return filter.filters.every((one) => isMatch(db, object, one));
    case "or":
      return filter.filters.some((one) => isMatch(db, object, one));
    case "not":
      return !isMatch(db, object, filter.filter);
  }
}

// Half of a character is none.
const equals = (text: string, value: string) => text === value.toWellFormed();
const startsWith = (text: string, value: string) => text.startsWith(value.toWellFormed());
const contains = (text: string, value: string) => text.includes(value.toWellFormed());
const endsWith = (text: string, value: string) => text.endsWith(value.toWellFormed());
const above = (text: string, value: string) =>
  Buffer.compare(Buffer.from(text), Buffer.from(value)) > 0;
