import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { v7 } from "uuid";
import { AddSAMLAppResponseSchema } from "../../gen/iam/management/v1/app_pb.js";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createCertificate } from "../fetch/certificate.ts";
import { allowing, start, stop } from "../fetch/listener.ts";
import { type Answer, jsonFailure } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** The name in the listener's certificate, which leads to this machine. */
export const samlHost = "sp.example.com";

/** A service provider's web server on this machine, which speaks real TLS. */
export interface SAMLListener {
  readonly port: number;
  readonly certificate: string;
  /** Answers a path, and tells its URL. */
  serve(path: string, answer: (response: ServerResponse, path: string) => void): string;
  /** Never answers a path. */
  hold(path: string): {
    /** The request has come. */
    readonly asked: Promise<void>;
    /** The other side has closed its connection. */
    readonly closed: Promise<void>;
  };
  /** Connections and paths asked for since `forget`. */
  connections(): number;
  requests(): readonly string[];
  forget(): void;
  close(): Promise<void>;
}

export async function listenForSAML(): Promise<SAMLListener> {
  const certificate = createCertificate([samlHost]);
  const answers = new Map<string, (response: ServerResponse, path: string) => void>();
  let requests: string[] = [];
  let connections = 0;
  const server: Server = createServer(certificate, (request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const answer = answers.get(path.replace(/\?.*$/, "").slice(1));
    if (answer) answer(response, path.replace(/\?.*$/, ""));
    else response.writeHead(404).end();
  });
  server.on("connection", () => {
    connections += 1;
  });
  const port = await start(server);
  const serve: SAMLListener["serve"] = (path, answer) => {
    answers.set(path, answer);
    return `https://${samlHost}:${port}/${path}`;
  };
  return {
    port,
    certificate: certificate.cert,
    serve,
    hold(path) {
      const asked = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      serve(path, (response) => {
        response.once("close", closed.resolve);
        asked.resolve();
      });
      return { asked: asked.promise, closed: closed.promise };
    },
    connections: () => connections,
    requests: () => requests,
    forget() {
      requests = [];
      connections = 0;
    },
    close: () => stop(server),
  };
}

/** A server that may fetch from these special networks, and for which one name leads here. */
export function startFetching({ certificate }: SAMLListener, allow: string): Promise<TestServer> {
  const fetcher = createFetcher({
    allow: allowing(allow),
    ca: certificate,
    resolve: async (name) => (name.startsWith("nobody.") ? [] : ["127.0.0.1"]),
    // Longer than any test may take: what is to end a fetch earlier must do so.
    limits: { timeoutMs: 120_000 },
  });
  return startServer({ fetcher });
}

export interface GivenURL {
  readonly url: string;
  readonly name?: string;
  readonly projectId?: string;
  readonly token?: string;
}

/** Adds an application as people do; answers with the events that the call left, too. */
export async function addByURL(on: TestServer, given: GivenURL) {
  const { url, name = v7(), projectId = on.project, token = on.admin.token } = given;
  const head = await on.head();
  const response = await fetch(`${on.url}/management/v1/projects/${projectId}/apps/saml`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name, metadataUrl: url }),
  });
  const json = (await response.json()) as JsonObject;
  const answer: Answer = response.ok
    ? { ok: true, message: fromJson(AddSAMLAppResponseSchema, json) }
    : jsonFailure(json, response.status);
  return { answer, events: await on.events(head) };
}
