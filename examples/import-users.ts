import { argv, env, exit, stderr, stdout } from "node:process";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { type Entry, type Person, readPeople } from "./people.ts";

// Imports people from a CSV file over gRPC:
//
//   node examples/import-users.ts examples/people.csv
//
// A user without "true" in emailVerified or phoneVerified is sent a code to verify the address or
// number with. passwordHash takes a password over from elsewhere.
//
// What is refused is told with its line and does not stop the others, and a user who exists already
// is skipped: mend the file and import it again. Ends with 0 when everybody is there, 1 when
// somebody is not, and 2 when the file is of no use.

const [file] = argv.slice(2);
const { IAM_URL = "http://127.0.0.1:8080", IAM_TOKEN = "" } = env;
if (file === undefined || IAM_TOKEN === "") {
  stderr.write("usage: IAM_TOKEN=… node examples/import-users.ts people.csv\n");
  exit(2);
}

/** Calls at a time: the service writes those that arrive together in one go. */
const inFlight = 64;
const deadlineMs = 60_000;
/** Refusals that would meet all others, too. */
const hopeless = [status.UNAUTHENTICATED, status.PERMISSION_DENIED, status.UNAVAILABLE];

// A service that restarts is waited for. Whom it had imported already is then counted as skipped.
const retryPolicy = {
  ...{ maxAttempts: 5, initialBackoff: "0.2s", maxBackoff: "5s", backoffMultiplier: 4 },
  retryableStatusCodes: ["UNAVAILABLE", "ABORTED"],
};
const { protocol, hostname, port } = new URL(IAM_URL);
const isSecure = protocol === "https:";
const client = new Client(
  `${hostname}:${port || (isSecure ? 443 : 80)}`,
  isSecure ? credentials.createSsl() : credentials.createInsecure(),
  { "grpc.service_config": JSON.stringify({ methodConfig: [{ name: [{}], retryPolicy }] }) },
);
const metadata = new Metadata();
metadata.set("authorization", `Bearer ${IAM_TOKEN}`);

/** Imports one person; resolves to why not. */
function importUser(person: Person): Promise<ServiceError | null> {
  const { parent, name, input, output } = ManagementService.method.importHumanUser;
  const { promise, resolve } = Promise.withResolvers<ServiceError | null>();
  client.makeUnaryRequest(
    `/${parent.typeName}/${name}`,
    (message: Person) => Buffer.from(toBinary(input, create(input, message))),
    (bytes: Buffer) => fromBinary(output, bytes),
    person,
    metadata,
    { deadline: Date.now() + deadlineMs },
    resolve,
  );
  return promise;
}

/** The stable name that every refusal of the service carries; else that of its code. */
function reasonOf({ code, metadata }: ServiceError): string {
  const [packed] = metadata.get("grpc-status-details-bin");
  const details = packed instanceof Buffer ? fromBinary(StatusSchema, packed).details : [];
  const infos = details.map((detail) => anyUnpack(detail, ErrorInfoSchema));
  return infos.find((info) => info !== undefined)?.reason ?? status[code] ?? String(code);
}

const count = { imported: 0, skipped: 0, refused: 0 };
let stopped: string | undefined;

function refuse(line: number, why: string): void {
  count.refused += 1;
  stderr.write(`line ${line}: ${why}\n`);
}

/** Takes one entry after the other, until there are none or it is of no use. */
async function take(entries: AsyncIterable<Entry>): Promise<void> {
  for await (const { line, person, mistake } of entries) {
    if (person === undefined) {
      refuse(line, mistake);
      continue;
    }
    const error = await importUser(person);
    const reason = error && reasonOf(error);
    if (error === null) count.imported += 1;
    // Somebody has the name, most likely from the run before.
    else if (reason === "NAME_TAKEN") count.skipped += 1;
    else if (hopeless.includes(error.code)) stopped ??= `${reason}: ${error.details}`;
    else refuse(line, `${reason}: ${error.details}`);
    if (stopped !== undefined) return;
    if (stdout.isTTY && (count.imported + count.skipped) % 100 === 0) say("\r");
  }
}

const startMs = performance.now();

function say(end: string): void {
  const { imported, skipped, refused } = count;
  const rate = Math.round((imported + skipped + refused) / ((performance.now() - startMs) / 1_000));
  const counts = `${imported} imported, ${skipped} skipped, ${refused} refused`;
  stdout.write(`${counts}, ${rate} a second${end}`);
}

try {
  // All take from the one reader, so the file is read as fast as the service answers.
  const entries = readPeople(file);
  await Promise.all(Array.from({ length: inFlight }, () => take(entries)));
} catch (thrown) {
  stderr.write(`${file}: ${thrown instanceof Error ? thrown.message : thrown}\n`);
  exit(2);
}
say("\n");
if (stopped !== undefined) stderr.write(`stopped at ${stopped}\n`);
client.close();
process.exitCode = stopped === undefined && count.refused === 0 ? 0 : 1;
