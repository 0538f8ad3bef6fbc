import type { Fault } from "./fault.ts";

/** Mistakes in keeping the texts of objects, in filtering, sorting and paging by them. */
export const listFaults: readonly Fault[] = [
  [
    "list by name",
    ["list.ts", `? sql\`\${first} \${direction}\``, `? sql\`stream \${direction}\``],
  ],
  [
    "list by last change",
    ["list.ts", `? sql\`\${first} \${direction}\``, `? sql\`position \${direction}\``],
  ],
  ["list always upwards", ["list.ts", "descending ? sql`DESC` : sql`ASC`", "sql`ASC`"]],
  ["creation always upwards", ["list.ts", `? sql\`\${first} \${direction}\``, "? first"]],
  ["ties always upwards", ["list.ts", `tie \${direction}, first \${direction}\``, "tie, first`"]],
  [
    "sorted as written",
    [
      "list.ts",
      `sql\`text \${direction},`,
      `sql\`(SELECT o.fields ->> \${sortBy} FROM objects AS o WHERE o.first = x.first) \${direction},`,
    ],
  ],
  [
    "sorted by UTF-16",
    [
      "list.ts",
      "import type Database",
      `import { Buffer } from "node:buffer";\nimport type Database`,
    ],
    [
      "list.ts",
      "  const prepare = prepareLast",
      `  db.function("utf16", { deterministic: true }, (text) =>
    Buffer.from(text, "utf16le").swap16().toString("hex"),
  );
  const prepare = prepareLast`,
    ],
    ["list.ts", `sql\`text \${direction},`, `sql\`utf16(text) \${direction},`],
  ],
  ["list without its offset", ["list.ts", ` OFFSET \${offset}`, ""]],
  ["place ignored", ["list.ts", "after === undefined ? matching", "true ? matching"]],
  ["place included", ["list.ts", "descending ? sql`<` : sql`>`", "descending ? sql`<=` : sql`>=`"]],
  ["place always upwards", ["list.ts", "descending ? sql`<` : sql`>`", "sql`>`"]],
  [
    "place by the text alone",
    [
      "list.ts",
      `sql\`(text, \${tie}) \${beyond} (\${folded}, \${first})`,
      `sql\`text \${beyond} \${folded}`,
    ],
  ],
  [
    "another page always told",
    ["list.ts", "rows.length < cursors.length ? ", "rows.length > 0 ? "],
  ],
  ["another page never told", ["list.ts", "rows.length < cursors.length ? ", "false ? "]],
  ["bytes of a page not chosen", ["list.ts", "query.stateBytes ?? Number", "Number"]],
  ["total behind the place", ["list.ts", `count(*) FROM \${matching}`, `count(*) FROM \${rest}`]],

  ["objects not counted", ["write.ts", "      counts(before, listed);\n", ""]],
  ["objects that go not counted", ["counts.ts", "before.kind !== null", "false"]],
  ["empty counts kept", ["counts.ts", "      drop.run(before.kind, before.parent);\n", ""]],
  ["moves not counted", ["counts.ts", " && before.parent === after.parent", ""]],
  ["counts of all parents", ["counts.ts", "parents === undefined ? ofKind", "true ? ofKind"]],
  ["rebuild keeps old counts", ["rebuild.ts", `  "counts",\n`, ""]],
  ["list without its parent", ["list.ts", `sql\`\${ofKind} AND \${isUnder(parents)}\``, "ofKind"]],
  [
    "only the first of several parents",
    ["filter.ts", `sql\`parent IN \${list(parents)}\``, `sql\`parent = \${parent ?? ""}\``],
  ],
  [
    "no parent like every parent",
    ["list.ts", "parents === undefined ? ofKind", "!parents?.length ? ofKind"],
    ["filter.ts", "if (parents === undefined)", "if (!parents?.length)"],
  ],
  ["total of the page", ["list.ts", "Number(all(total)[0]?.[0])", "cursors.length"]],
  ["total of the rows", ["list.ts", "Number(all(total)[0]?.[0])", "rows.length"]],
  ["total without the filter", ["list.ts", `count(*) FROM \${matching}`, `count(*) FROM \${all}`]],
  [
    "list of several moments",
    [
      "list.ts",
      "db.transaction((query: ListQuery): ObjectPage =>",
      "((query: ListQuery): ObjectPage =>",
    ],
  ],
  [
    "cut where the page is not full",
    ["list.ts", "rows.length < wanted", "rows.length < query.limit || rows.length < wanted"],
  ],
  ["cut not told", ["list.ts", "rows.length < wanted.length", "rows.length > wanted.length"]],
  ["page one byte too small", ["row.ts", "bytes > bytesMax", "bytes >= bytesMax"]],
  ["page of any size", ["row.ts", "bytes > bytesMax", "bytes < 0"]],
  ["too large an object never listed", ["row.ts", " && read.length > 0", ""]],
  [
    "page measured in characters",
    ["row.ts", 'Buffer.byteLength(textOf(columns) ?? "")', '(textOf(columns) ?? "").length'],
  ],
  ["head of the first event", ["head.ts", "position DESC", "position"]],
  [
    "head of the latest time",
    ["head.ts", "SELECT position, time", "SELECT position, max(time) AS time"],
  ],

  ["texts kept unfolded", ["../texts.ts", "text: foldText(exact),", "text: exact,"]],
  [
    "texts kept in lower case",
    ["../texts.ts", "text: foldText(exact),", "text: exact.toLowerCase(),"],
  ],
  ["value not folded", ["../filter.ts", "method, foldText(value)", "method, value"]],
  ["case never matters", ["../filter.ts", "ignoreCase ? folded : exact()", "folded"]],
  ["case always matters", ["../filter.ts", "ignoreCase ? folded : exact()", "exact()"]],
  [
    "only as it is where case matters",
    [
      "../filter.ts",
      `sql\`\${folded} AND \${terms.text(terms.exact(field), method, value)}\``,
      "terms.text(terms.exact(field), method, value)",
    ],
  ],
  [
    "contains by LIKE",
    [
      "filter.ts",
      `sql\`instr(\${column}, \${text}) > 0\``,
      `sql\`\${column} LIKE '%' || \${text} || '%'\``,
    ],
  ],
  [
    "contains by GLOB",
    [
      "filter.ts",
      `sql\`instr(\${column}, \${text}) > 0\``,
      `sql\`\${column} GLOB '*' || \${text} || '*'\``,
    ],
  ],
  [
    "starts by LIKE",
    [
      "filter.ts",
      `sql\`substr(\${column}, 1, length(\${text})) = \${text}\``,
      `sql\`\${column} LIKE \${text} || '%'\``,
    ],
  ],
  [
    "nothing ends with nothing",
    [
      "filter.ts",
      `sql\`substr(\${column}, length(\${column}) - length(\${text}) + 1) = \${text}\``,
      `sql\`substr(\${column}, -length(\${text})) = \${text}\``,
    ],
  ],
  [
    "above including the text",
    ["filter.ts", `return sql\`\${column} > \${text}\`;`, `return sql\`\${column} >= \${text}\`;`],
  ],
  ["prefix without an end", ["filter.ts", "end === undefined ? reached", "true ? reached"]],
  [
    "prefix that ends with surrogates",
    ["../filter.ts", "point === 0xd7ff ? 0xe000 : point + 1", "point + 1"],
  ],
  [
    "prefix that ends by UTF-16",
    [
      "filter.ts",
      "const end = afterPrefix(prefix);",
      `const end = afterPrefix(prefix) && \`\${prefix}\\uffff\`;`,
    ],
  ],
  [
    "prefix of the last character alone",
    ["../filter.ts", "points.slice(0, last), next", "points.slice(0, last - 1), next"],
  ],
  ["end of a prefix included", ["filter.ts", `\${folded} < \${end}`, `\${folded} <= \${end}`]],
  [
    "one of the texts in any case",
    ["../filter.ts", ` AND \${terms.isIn(terms.exact(field), values)}`, ""],
  ],
  ["field ignored", ["filter.ts", ` AND name = \${name}\``, "`"]],
  [
    "all of nothing does not hold",
    [
      "../filter.ts",
      `sql\`\${some} AND \${one}\`, sql\`TRUE\``,
      `sql\`\${some} AND \${one}\`, all.length ? sql\`TRUE\` : sql\`FALSE\``,
    ],
  ],
  [
    "one of nothing holds",
    [
      "../filter.ts",
      `sql\`\${some} OR \${one}\`, sql\`FALSE\``,
      `sql\`\${some} OR \${one}\`, any.length ? sql\`FALSE\` : sql\`TRUE\``,
    ],
  ],
  ["one condition of all", ["../filter.ts", `\${some} AND \${one}`, `\${some} OR \${one}`]],
  [
    "conditions unbracketed",
    [
      "../filter.ts",
      `sql\`(\${any.reduce((some, one) => sql\`\${some} OR \${one}\`, sql\`FALSE\`)})\``,
      `any.reduce((some, one) => sql\`\${some} OR \${one}\`, sql\`FALSE\`)`,
    ],
  ],
  [
    "not forgotten",
    ["../filter.ts", `sql\`NOT \${compile(filter.filter)}\``, "compile(filter.filter)"],
  ],
  ["index of the fields unused", ["filter.ts", "? sql`list = ", "? sql`+list = "]],
  [
    "whole kind looked at for several parents",
    ["list.ts", "sql`first` : sql`+first`", "sql`first` : sql`first`"],
  ],
  [
    "values in the text",
    [
      "../sql.ts",
      '{ text: "?", values: [each] }',
      `{ text: typeof each === 'number' ? String(each) : \`'\${each}'\`, values: [] }`,
    ],
  ],
  [
    "half characters in lists of texts",
    ["sql.ts", "texts.map((text) => text.toWellFormed())", "texts"],
  ],
  [
    "statements kept for ever",
    ["sql.ts", "if (kept.size > max) kept.delete(oldest);", "void [max, oldest];"],
  ],
  ["statements kept one too few", ["sql.ts", "kept.size > max", "kept.size >= max"]],
  ["statements dropped by age", ["sql.ts", "    kept.delete(text);\n", ""]],

  [
    "texts of a removed object kept",
    [
      "append.ts",
      "removed: without(before, after)",
      "removed: row === undefined ? [] : without(before, after)",
    ],
  ],
  [
    "old texts kept",
    [
      "append.ts",
      "removed: without(before, after)",
      "removed: row === undefined ? without(before, after) : []",
    ],
  ],
  [
    "texts left under the old parent",
    [
      "../texts.ts",
      "one.kind === other.kind &&\n    one.parent === other.parent",
      "one.kind === other.kind",
    ],
  ],
  ["texts left under the old kind", ["../texts.ts", "one.kind === other.kind &&", ""]],
  [
    "all texts written anew",
    [
      "../texts.ts",
      "return other?.isClaim !== row.isClaim || other.isListed !== row.isListed;",
      "return true;",
    ],
  ],
  [
    "a claim that is a field, too, not listed",
    ["../texts.ts", "{ ...claim, isListed: true }", "claim"],
  ],
  [
    "a field that goes takes its claim along",
    [
      "texts.ts",
      "const isClaimToo = !row.isClaim && setListed.run(0",
      "const isClaimToo = setListed.run(2",
    ],
  ],
  [
    "a field that comes has a row beside its claim",
    [
      "texts.ts",
      "const isClaimToo = !row.isClaim && setListed.run(1",
      "const isClaimToo = setListed.run(2",
    ],
  ],
  ["the last of a page comes again", ["list.ts", ` AND first <> \${first}\``, "`"]],
  [
    "of several parents, the first that has a text is its place",
    ["list.ts", "sortBy !== undefined && isOneParent ?", "sortBy !== undefined ?"],
  ],
  ["rebuild keeps old texts", ["rebuild.ts", `  "texts",\n`, ""]],
];
