import { createReadStream } from "node:fs";
import { argv, env, exit, stderr, stdout } from "node:process";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Client, credentials, Metadata, makeClientConstructor } from "@grpc/grpc-js";
import { parse } from "csv-parse";
import {
  ImportHumanUserRequestSchema,
  ImportHumanUserResponseSchema,
} from "../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";

// Imports people from a CSV file over gRPC and shows how far it is:
//
//   IAM_TOKEN=$(cat data/admin.token) node examples/import-users.ts people.csv
//
// The first line names the columns: userName, firstName, lastName, email, and, if you like, phone
// and preferredLanguage. What is refused is reported with its line and does not stop the others, so
// the same file can be imported again after it was mended: whoever is there already is skipped.

const inFlight = 64;

const [file] = argv.slice(2);
const { IAM_URL = "http://127.0.0.1:8080", IAM_TOKEN = "" } = env;
if (file === undefined || IAM_TOKEN === "") {
  stderr.write("usage: IAM_TOKEN=… node examples/import-users.ts people.csv\n");
  exit(2);
}

type Importing = MessageInitShape<typeof ImportHumanUserRequestSchema>;
type Fate = "imported" | "skipped" | "refused";

const method = ManagementService.method.importHumanUser;
const path = `/${method.parent.typeName}/${method.name}`;
const Service = makeClientConstructor({}, "iam");
const client: Client = new Service(new URL(IAM_URL).host, credentials.createInsecure());
const metadata = new Metadata();
metadata.set("authorization", `Bearer ${IAM_TOKEN}`);

/** Imports one person; what becomes of that is never an exception. */
function importUser(person: Importing, line: number): Promise<Fate> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      (message: Importing) =>
        Buffer.from(
          toBinary(ImportHumanUserRequestSchema, create(ImportHumanUserRequestSchema, message)),
        ),
      (bytes: Buffer) => fromBinary(ImportHumanUserResponseSchema, bytes),
      person,
      metadata,
      (error) => {
        if (error === null) return resolve("imported");
        // 6 is ALREADY_EXISTS: somebody has the name, most likely from the run before.
        if (error.code === 6) return resolve("skipped");
        stderr.write(`\nline ${line}: ${error.details}\n`);
        resolve("refused");
      },
    );
  });
}

function personOf(row: { readonly [column: string]: string | undefined }): Importing {
  const {
    userName = "",
    firstName = "",
    lastName = "",
    email = "",
    phone,
    preferredLanguage,
  } = row;
  return {
    userName,
    profile: { firstName, lastName, preferredLanguage: preferredLanguage ?? "" },
    email: { email, isEmailVerified: true },
    ...(phone ? { phone: { phone, isPhoneVerified: true } } : {}),
  };
}

const count: { [fate in Fate]: number } = { imported: 0, skipped: 0, refused: 0 };
const startMs = performance.now();

function say(end: string): void {
  const seconds = (performance.now() - startMs) / 1_000;
  const done = count.imported + count.skipped + count.refused;
  const rate = Math.round(done / seconds);
  stdout.write(
    `\r${count.imported} imported, ${count.skipped} skipped, ${count.refused} refused, ` +
      `${rate} a second${end}`,
  );
}

const rows = createReadStream(file).pipe(
  parse({ bom: true, columns: true, info: true, skip_empty_lines: true, trim: true }),
);
const pending = new Set<Promise<void>>();
for await (const { record, info } of rows) {
  const one = importUser(personOf(record), info.lines).then((fate) => {
    count[fate] += 1;
    pending.delete(one);
  });
  pending.add(one);
  if (pending.size >= inFlight) await Promise.race(pending);
  if ((count.imported + count.skipped) % 500 === 0) say("");
}
await Promise.all(pending);
say("\n");
client.close();
exit(count.refused === 0 ? 0 : 1);
