import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { withoutSecrets } from "../../src/api/secret-fields.ts";
import { jsonOptionsOf } from "../../src/gateway/form/message.ts";
import type { Case } from "../harness/cases.ts";
import { gathered, tables } from "../harness/gathered.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { prepare, send, settled, shapeOf } from "./call.ts";

/** An example as it is kept: the row that it is of, and what was sent and answered. */
export interface KeptExample {
  readonly file: string;
  readonly row: string;
  /** Whether the row sends something else each time, for example a code. */
  readonly varies?: true;
  readonly request: JsonObject;
  readonly response: JsonObject;
}

/** How many examples of a method one is chosen from. */
const rowsMax = 60;

/** Writes `generate/examples.json` anew: of each method the row that sends the most fields. */
export async function record(): Promise<void> {
  const server = await startServer();
  try {
    const kept = new Map<string, KeptExample[]>();
    for (const file of tables) {
      for (const one of await gathered([file])) {
        const path = `${one.method.parent.typeName}/${one.method.name}`;
        const found = kept.get(path) ?? [];
        if (found.length >= rowsMax) continue;
        const example = await exampleOf(one, file, server).catch(() => undefined);
        if (example !== undefined) kept.set(path, [...found, example]);
      }
    }
    const chosen = [...kept].sort().map(([path, all]) => [path, all.reduce(better)]);
    const text = JSON.stringify(Object.fromEntries(chosen), null, 2);
    writeFileSync(join(import.meta.dirname, "../../generate/examples.json"), `${text}\n`);
  } finally {
    await server.close();
  }
}

async function exampleOf(
  one: Case,
  file: string,
  server: TestServer,
): Promise<KeptExample | undefined> {
  const url = `${server.url}/${one.method.parent.typeName}/${one.method.name}`;
  const { request, headers, unique, expected } = await prepare(one, server);
  if (!("ok" in expected) || !isReadable(request)) return undefined;
  const { status, json } = await send(url, { verb: "POST", body: request, headers });
  if (status !== 200) return undefined;
  const again = await prepare(one, server);
  if (JSON.stringify(shapeOf(request)) !== JSON.stringify(shapeOf(again.request))) return undefined;
  const repeated = await send(url, { verb: "POST", body: again.request, headers: again.headers });
  if (repeated.status !== 200) return undefined;
  const { output } = one.method;
  const answer = withoutSecrets(output, fromJson(output, json));
  const response = toJson(output, answer, jsonOptionsOf(one.method)) as JsonObject;
  const told = settled({ request, response }, unique);
  const same = settled({ request: again.request }, again.unique);
  const varies = JSON.stringify(told.request) !== JSON.stringify(same.request);
  return { file, row: one.name, ...(varies ? { varies: true } : {}), ...told };
}

/** Whether people can read it: short, and with no text that is there for its length. */
function isReadable(request: JsonObject): boolean {
  const text = JSON.stringify(request);
  return text.length <= 2_000 && !/(.)\1{49}/u.test(text);
}

/** One that is the same each time before one that varies, then the one with more fields. */
function better(a: KeptExample, b: KeptExample): KeptExample {
  const rank = ({ varies, request }: KeptExample) =>
    Object.keys(request).length - (varies ? 1_000 : 0);
  return rank(b) > rank(a) ? b : a;
}
