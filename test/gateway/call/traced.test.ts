import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { parseAllowList } from "../../../src/fetch/allow.ts";
import { createFetcher } from "../../../src/fetch/fetcher.ts";
import { createPeers, loopback } from "../../../src/port/peer.ts";
import { startServer } from "../../harness/server.ts";
import { leave } from "../../start/command.ts";

test("what a proxy says to join lines is not sent to the URLs of callers", async () => {
  const asked: IncomingHttpHeaders[] = [];
  const elsewhere = createServer(({ headers }, response) => {
    asked.push(headers);
    response.writeHead(404).end();
  });
  await once(elsewhere.listen(0, "127.0.0.1"), "listening");
  const { port } = elsewhere.address() as AddressInfo;
  const parsed = parseAllowList("127.0.0.0/8");
  const allow = "allow" in parsed ? parsed.allow : [];
  const server = await startServer({
    peers: createPeers(loopback),
    fetcher: createFetcher({ allow, http: true }),
  });
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const url = `${server.url}/iam.management.v1.ManagementService/AddSAMLApp`;
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "content-type": "application/json",
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      "x-request-id": "id-of-a-proxy",
    },
    body: JSON.stringify({
      ...{ projectId: server.project, name: "Fetched" },
      metadataUrl: `http://127.0.0.1:${port}/metadata`,
    }),
  });
  expect(await answer.text()).toContain("METADATA_NOT_FETCHED");
  expect(asked).toHaveLength(1);
  expect(JSON.stringify(asked)).not.toMatch(new RegExp(`${trace}|id-of-a-proxy|traceparent`));
  // The lines of the call have both.
  expect(server.logged().join("\n")).toMatch(new RegExp(`${trace}.*id-of-a-proxy`));
  await leave();
  await server.close();
  elsewhere.close();
});
