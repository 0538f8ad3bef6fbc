import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type CsvError, parse } from "csv-parse";
import type { ImportHumanUserRequestSchema } from "../gen/iam/management/v1/human_pb.js";

// Reads the people of a CSV file for import-users.ts.

const required = ["userName", "firstName", "lastName", "email"];
const optional = ["emailVerified", "phone", "phoneVerified", "preferredLanguage", "passwordHash"];

export type Person = MessageInitShape<typeof ImportHumanUserRequestSchema>;

/** What is in one line: a person, or a mistake. */
export type Entry =
  | { readonly line: number; readonly person: Person; readonly mistake?: undefined }
  | { readonly line: number; readonly mistake: string; readonly person?: undefined };

type Row = { readonly [column: string]: string };

/**
 * Reads no further than what is taken from it, so a file may be larger than the memory. Throws
 * where the file or its first line is of no use.
 */
export async function* readPeople(file: string): AsyncGenerator<Entry> {
  const unreadable: Entry[] = [];
  const lines = new Map<string, number>();
  let hasColumns = false;
  const rows = parse({
    ...{ bom: true, info: true, skip_empty_lines: true, trim: true },
    columns(names: string[]) {
      hasColumns = true;
      return checkColumns(names);
    },
    skip_records_with_error: true,
    on_skip(error: (CsvError & { readonly lines?: number }) | undefined) {
      unreadable.push({ line: error?.lines ?? 0, mistake: error?.message ?? "" });
      return undefined;
    },
  });
  // Whatever goes wrong with the file reaches the reader of the rows.
  pipeline(createReadStream(file), rows, () => {});
  for await (const { record, info } of rows) {
    yield* unreadable.splice(0);
    yield entryOf(record, info.lines, lines);
  }
  yield* unreadable;
  if (!hasColumns) throw new Error("the file is empty: its first line names the columns");
}

function checkColumns(names: string[]): string[] {
  const missing = required.filter((name) => !names.includes(name));
  const unknown = names.filter(
    (name, index) => ![...required, ...optional].includes(name) || names.indexOf(name) !== index,
  );
  if (missing.length + unknown.length === 0) return names;
  throw new Error(
    `the first line must name the columns ${required.join(", ")}, and may name ` +
      `${optional.join(", ")}, each once; it names ${names.join(", ")}`,
  );
}

function entryOf(row: Row, line: number, lines: Map<string, number>): Entry {
  // Nothing but true and false is taken: a slip must not make an address count as verified.
  for (const column of ["emailVerified", "phoneVerified"]) {
    if (/^(?:true|false|)$/i.test(row[column] ?? "")) continue;
    return { line, mistake: `${column} must be true or false` };
  }
  // The service would take the second one for somebody who is there already.
  const name = (row.userName ?? "").normalize("NFKC").toLowerCase();
  const first = lines.get(name);
  if (first !== undefined) return { line, mistake: `line ${first} has this user name, too` };
  if (name !== "") lines.set(name, line);
  return { line, person: personOf(row) };
}

function personOf(row: Row): Person {
  const { userName = "", firstName = "", lastName = "", preferredLanguage = "" } = row;
  const { email = "", phone = "", passwordHash: value = "" } = row;
  const isTrue = (column: string) => row[column]?.toLowerCase() === "true";
  return {
    userName,
    profile: { firstName, lastName, preferredLanguage },
    email: { email, isEmailVerified: isTrue("emailVerified") },
    ...(phone ? { phone: { phone, isPhoneVerified: isTrue("phoneVerified") } } : {}),
    ...(value ? { hashedPassword: { value } } : {}),
  };
}
