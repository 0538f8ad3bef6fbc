import type { Fault } from "./fault.ts";

/** Mistakes in sealing and checking events, in following the end of the log, and in chaining. */
export const chainFaults: readonly Fault[] = [
  ...["log", "stream", "String(version)", "type", "owner", "actor", "String(timeMs)"].map(
    (part): Fault => [
      `digest without ${part}`,
      ["../chain/link.ts", "netstrings(said)", `netstrings(said.filter((one) => one !== ${part}))`],
    ],
  ),
  [
    "digest without the payload",
    [
      "../chain/link.ts",
      "bytes.write(payload, salt.byteLength);",
      "bytes.fill(0, salt.byteLength);",
    ],
  ],
  [
    "payload without its salt",
    ["../chain/link.ts", "bytes.set(salt);", "bytes.fill(0, 0, salt.byteLength);"],
  ],
  ["parts glued", ["../chain/link.ts", `\`\${Buffer.byteLength(text)}:\${text},\`;`, "text;"]],
  [
    "characters counted for bytes of a part",
    ["../chain/link.ts", `\${Buffer.byteLength(text)}`, `\${text.length}`],
  ],
  [
    "link without the one before",
    ["../chain/link.ts", "Buffer.concat([previous, at,", "Buffer.concat([at,"],
  ],
  ["link without the position", ["../chain/link.ts", "previous, at, digest", "previous, digest"]],
  ["link without the MAC", ["../chain/link.ts", "digest, mac]", "digest]"]],
  ["MAC unchecked", ["../chain/chain.ts", "macOf !== undefined && !isSame", "false && !isSame"]],
  [
    "link unchecked",
    [
      "../chain/chain.ts",
      "link !== undefined && !isSame",
      "link !== undefined && !link && !isSame",
    ],
  ],
  ["artifacts without a MAC", ["../chain/artifact-mac.ts", "|| !isSame(macOf(row), row.mac)", ""]],
  ...[
    ["the log", "([id, ", "(["],
    ["the key", "[id, key, ", "[id, "],
    ["the alias", " key, alias, family, payload, `", " key, family, payload, `"],
    ["the family", " alias, family, payload, `", " alias, payload, `"],
    ["the payload", " payload, `", " `"],
    ["the expiry", ` \`\${expires}\`,`, ""],
    ["the uses", `, \`\${uses}\`]`, "]"],
  ].map(
    ([part = "", before = "", after = ""]): Fault => [
      `MAC of an artifact without ${part}`,
      ["../chain/artifact-mac.ts", before, after],
    ],
  ),
  [
    "the newest of an alias taken alone",
    ["../artifact.ts", "artifactsOfAlias = 100", "artifactsOfAlias = 1"],
  ],
  [
    "one salt for all",
    [
      "../chain/chain.ts",
      "const salt = random(saltBytes);",
      "const salt = new Uint8Array(saltBytes);",
    ],
  ],

  ["link not advanced", ["end.ts", "link: seals.link, timeMs };", "link: current.link, timeMs };"]],
  [
    "last events not checked",
    ["sqlite.ts", "assertEnd(db, identity.check, limits.checkedEvents)", "{}"],
  ],
  [
    "one event less checked",
    ["rebuild.ts", "position - BigInt(events);", "position - BigInt(events) + 1n;"],
  ],
  [
    "one event more checked",
    ["rebuild.ts", "position - BigInt(events);", "position - BigInt(events) - 1n;"],
  ],
  ["all events checked", ["rebuild.ts", "after > 0n ? after : 0n", "0n"]],
  ["end not taken up", ["commit.ts", "if (end.take()) return", "if (true) return"]],
  ["end not written", ["commit.ts", "      end.save();\n", ""]],
  ["end not remembered", ["commit.ts", "      end.keep();\n", ""]],
  [
    "head not compared with the last event",
    ["end.ts", "if (!isEnd) throw", "if (!isEnd && isEnd) throw"],
  ],
  ["another log taken up", ["end.ts", "if (head.log !== log)", "if (!head.log)"]],
  [
    "an end that went back taken up",
    [
      "end.ts",
      "    assertGoesOn(head, seen);",
      "    if (head.position < seen.position) seen = head;\n    assertGoesOn(head, seen);",
    ],
  ],
  [
    "an end with another past taken up",
    ["end.ts", "now !== undefined && isSame(now, link)", "now !== undefined"],
  ],
  [
    "events of others not checked",
    ["end.ts", "if (faults.length === 0) return;", "if (faults) return;"],
  ],
  [
    "gap behind the end taken up",
    ["end.ts", "if (event.position !== position + 1n)", "if (!link)"],
  ],
  [
    "all that others appended checked at once",
    ["end.ts", "seen.position + BigInt(followedEvents)", "head.position"],
  ],
  ["forged rows not handed on", ["../alarm.ts", "        found(message);\n", ""]],
  [
    "forged events behind a refusal not told",
    ["../alarm.ts", "cause instanceof Forged ? cause : undefined", "undefined"],
  ],
  [
    "two heads taken up",
    ["end.ts", "head === undefined || others.length > 0", "head === undefined"],
  ],
  [
    "ready with another history",
    ["looks.ts", "    end.take();\n", ""],
    ["looks.ts", "      while (!end.follow()) await turn();\n", ""],
  ],
  ["history changed is not told", ["../alarm.ts", "log.fatal(members, sentence);", ""]],
  ["history changed told each time", ["../alarm.ts", "    told.add(what);\n", ""]],
  ["history changed again not told", ["../alarm.ts", "told.delete(history)", "told.has(history)"]],

  [
    "forged objects served",
    ["../chain/state.ts", "if (!isSealedObject(macOf, object, listed, mac))", "if (false)"],
  ],
  [
    "objects of before served",
    ["../chain/state.ts", "object.version === version", "object.version <= version"],
  ],
  [
    "objects of events that are gone served",
    ["../chain/state.ts", "object.version === version", "object.version >= version"],
  ],
  [
    "missing rows taken for no object",
    ["../object-row.ts", "if (version > 0) throw", "if (false) throw"],
  ],
  [
    "versions of rows taken for those of the log",
    [
      "append.ts",
      "rows.map(versionIn), end.versionsOf)",
      "rows.map(ofRow), (streams) => streams.map((stream) => ofRow(row(stream))))",
    ],
    [
      "append.ts",
      "  return (append) => {",
      `  const ofRow = (one: ReturnType<typeof row>) => Number(one.first && one.version);
  return (append) => {`,
    ],
  ],
  [
    "written on top of forged rows",
    [
      "append.ts",
      "const toObject = prepareObjects(macOf);",
      "const toObject = (columns: ReturnType<typeof row>) => bare(columns as never);",
    ],
    [
      "append.ts",
      "import { prepareObjects, versionIn }",
      'import { toObject as bare } from "../verify/rows.ts";\nimport { versionIn }',
    ],
  ],
  [
    "objects listed where they are not",
    ["list.ts", "        assertAskedFor(query, columns);\n", ""],
  ],
  [
    "objects listed under other parents",
    ["../chain/state.ts", "kind === kind && isUnder", "kind === kind"],
  ],
  [
    "objects listed as other kinds",
    ["../chain/state.ts", "found.kind === kind && isUnder", "isUnder"],
  ],
  [
    "forged events served",
    ["row.ts", "undefined).length > 0) throw", "undefined).length > 9) throw"],
  ],
  [
    "messages of forged events sent",
    ["message.ts", "() => toEvent(columns)", "() => eventIn(columns)"],
    ["message.ts", "type ToEvent }", "type ToEvent, toEvent as eventIn }"],
  ],
  [
    "messages of forged events in the way",
    ["../chain/forged.ts", "(error instanceof Forged))", "(error instanceof Set))"],
  ],
  ["messages of forged events not told", ["../chain/forged.ts", "    note(error);\n", ""]],
  ...["id", "stream", "version", "owner", "changedMs", "kind", "parent", "fields", "state"].map(
    (part, i): Fault => [
      `MAC of an object without its ${part}`,
      ["../chain/row-mac.ts", "netstrings(said)", `netstrings(said.with(${i}, ""))`],
    ],
  ),
  ...["first", "position", "BigInt(createdMs)"].map(
    (part): Fault => [
      `MAC of an object without its ${part}`,
      ["../chain/row-mac.ts", `writeInt64(bytes, ${part}, `, "writeInt64(bytes, 0n, "],
    ],
  ),
  ["MAC of an object takes none for empty", ["../chain/link.ts", `? "-," : `, `? "0:," : `]],
  [
    "MAC of an object by the key of events",
    ["../chain/row-mac.ts", `subkeyOf(key, "iam object")`, "key"],
  ],
  [
    "an object without a MAC served",
    ["../chain/state.ts", "mac !== null && isSame", "mac === null || isSame"],
  ],

  [
    "rebuild of a forged log",
    ["rebuild-file.ts", "if (!isLarge) assertWhole(db, identity.check, { steps });", ""],
  ],
  [
    "rebuild of a large forged log",
    [
      "rebuild-file.ts",
      "    await whole;\n    const",
      "    await whole?.catch(() => {});\n    const",
    ],
  ],
  [
    "verification of one moment for long",
    ["verify/pieces.ts", "    begin.run();\n", "    if (!db.inTransaction) begin.run();\n"],
    ["verify/pieces.ts", "if (db.inTransaction) end.run();", "void end;"],
  ],
  [
    "a row too many unnoticed",
    ["../verify/sums.ts", "sums.every((sum) => sum === 0)", "sums.length > 0"],
  ],
  [
    "rows added up by their number alone",
    ["../verify/sums.ts", `\${stream.length} \${stream}\${row}`, ""],
  ],
  [
    "rows looked for where nothing is wrong",
    ["../verify/sums.ts", "sums[slotOf(stream)] === 0 &&", "sums[slotOf(stream)] !== 0 &&"],
  ],
  [
    "rebuild of a forged log at the start",
    ["rebuild.ts", "  assertWhole(db, check, { steps });\n", ""],
  ],
  [
    "tables of a refused log brought up to date",
    ["identity.ts", "  if (begun !== undefined) {\n    const write", "  {\n    const write"],
  ],
  ["log not looked at before it is served", ["sqlite.ts", "await admit(identity, {", "void ({"]],
  [
    "missing end unnoticed",
    ["../verify/chain.ts", "head.position > position", "head.position < 0n"],
  ],
  [
    "added end unnoticed",
    ["../verify/chain.ts", "head.position < position || !isSame(head.link, link)", "!head"],
  ],
];
