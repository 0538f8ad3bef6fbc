/** The name, and behind it the known one that was hardly meant otherwise, if there is one. */
export function withNearest(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  return nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
}

/**
 * The name that a misspelt one is most like: it differs in a third of its characters at most, or
 * begins with the misspelt one. A prefix that all names share does not count.
 */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const own = stemOf(name);
  const [nearest] = known
    .map((one) => ({ one, edits: editsBetween(own, stemOf(one)) }))
    .toSorted((a, b) => a.edits - b.edits);
  if (nearest !== undefined && nearest.edits * 3 <= own.length) return nearest.one;
  return known.find((one) => /^[-_]/.test(one.slice(name.length)) && one.startsWith(name));
}

/** The name without what all names of its kind begin with. */
function stemOf(name: string): string {
  return name.replace(/^(IAM_|-+)/, "");
}

/**
 * How many characters are put in, left out or replaced to make one text of the other. Two that are
 * neighbours and swapped count as one.
 */
function editsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? replaced) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
