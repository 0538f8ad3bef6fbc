import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { argv, env, exit, stderr, stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { AddAPIAppResponse, AddOIDCAppResponse } from "../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import type { AddProjectRequest } from "../gen/iam/management/v1/project_pb.js";
import { TextQueryMethod } from "../gen/iam/v1/search_pb.js";
import { describeRefusal } from "./refusal.ts";

// Sees to it that a project is there with the applications that a JSON file names, over Connect:
//
//   node examples/provision-project.ts examples/web-shop.json
//
// What is there already stays as it is, so it may run as often as you like, for example at every
// deployment. Client secrets are printed when they are made, and never again: the service keeps
// hashes. RegenerateOIDCClientSecret and RegenerateAPIClientSecret replace one that is lost.
//
// Ends with 0 when everything is there, 1 when something was refused, 2 when the file is of no use.

const [file] = argv.slice(2);
const { IAM_URL = "http://127.0.0.1:8080", IAM_TOKEN = "" } = env;
if (file === undefined || IAM_TOKEN === "") {
  stderr.write("usage: IAM_TOKEN=… node examples/provision-project.ts project.json\n");
  exit(2);
}

const authorize: Interceptor = (next) => (request) => {
  request.header.set("authorization", `Bearer ${IAM_TOKEN}`);
  return next(request);
};

/** Codes with which nobody knows whether the call was carried out, or it was not for now. */
const lost = [Code.DeadlineExceeded, Code.Unavailable, Code.Unknown];

/**
 * Repeats a call whose answer was lost, with the key that it had at first: it is done once, and a
 * repeated answer has the client secret of the first.
 */
const repeat: Interceptor = (next) => async (request) => {
  request.header.set("idempotency-key", randomUUID());
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await next(request);
    } catch (error) {
      if (attempt === 3 || !lost.includes(ConnectError.from(error).code)) throw error;
      await pause(attempt * 500);
    }
  }
};
const client = createClient(
  ManagementService,
  createConnectTransport({
    baseUrl: IAM_URL,
    httpVersion: "1.1",
    interceptors: [authorize, repeat],
    defaultTimeoutMs: 30_000,
  }),
);

const { addProject, addOIDCApp, addAPIApp } = ManagementService.method;

/** The file holds the requests themselves; what the contract does not know is a mistake. */
async function readPlan(path: string) {
  const plan = JSON.parse(await readFile(path, "utf8")) as JsonObject;
  const { project = {}, oidcApps, apiApps, ...rest } = plan;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Error(`there is no place for ${unknown}`);
  return {
    project: fromJson(addProject.input, project),
    oidcApps: list(oidcApps).map((app) => fromJson(addOIDCApp.input, app)),
    apiApps: list(apiApps).map((app) => fromJson(addAPIApp.input, app)),
  };
}

function list(value: JsonValue = []): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new Error("oidcApps and apiApps must be lists");
  return value;
}

/** The condition that finds what a new name would collide with. */
function named(name: string) {
  const value = { name, method: TextQueryMethod.EQUALS_IGNORE_CASE };
  return [{ query: { case: "nameQuery" as const, value } }];
}

async function ensureProject(project: AddProjectRequest): Promise<string> {
  const { result } = await client.listProjects({ queries: named(project.name) });
  const found = result[0]?.id;
  const id = found ?? (await client.addProject(project)).id;
  stdout.write(`project ${project.name}: ${found ? "is there" : "created"}, id ${id}\n`);
  return id;
}

/** Leaves an application alone that is there; else makes it and tells what it is given. */
async function ensureApp(
  projectId: string,
  name: string,
  type: "oidcConfig" | "apiConfig",
  add: () => Promise<AddOIDCAppResponse | AddAPIAppResponse>,
): Promise<void> {
  const { result } = await client.listApps({ projectId, queries: named(name) });
  const [found] = result;
  if (found !== undefined) {
    const { case: is, value } = found.config;
    if (is !== type) throw new Error(`the application ${name} is there, but not of this type`);
    stdout.write(`application ${name}: is there, client id ${value.clientId}\n`);
    return;
  }
  const added = await add();
  const secret = added.clientSecret === "" ? "no client secret" : `secret ${added.clientSecret}`;
  stdout.write(`application ${name}: created, client id ${added.clientId}, ${secret}\n`);
  if (!("complianceProblems" in added)) return;
  for (const { localizedMessage } of added.complianceProblems) {
    stderr.write(`  ${localizedMessage}\n`);
  }
}

const plan = await readPlan(file).catch((error: unknown) => {
  stderr.write(`${file}: ${error instanceof Error ? error.message : error}\n`);
  exit(2);
});
try {
  const projectId = await ensureProject(plan.project);
  for (const app of plan.oidcApps) {
    app.projectId = projectId;
    await ensureApp(projectId, app.name, "oidcConfig", () => client.addOIDCApp(app));
  }
  for (const app of plan.apiApps) {
    app.projectId = projectId;
    await ensureApp(projectId, app.name, "apiConfig", () => client.addAPIApp(app));
  }
} catch (thrown) {
  // What was made so far stays, and the next run goes on from there.
  const told = thrown instanceof ConnectError ? describeRefusal(thrown) : String(thrown);
  stderr.write(`${told}\n`);
  process.exitCode = 1;
}
