// The page of an administration: what a browser calls the service with, and nothing else.

import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { ErrorInfoSchema } from "/gen/google/rpc/error_details_pb.js";
import { EventService } from "/gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "/gen/iam/management/v1/management_service_pb.js";

const transports = { "gRPC-Web": createGrpcWebTransport, Connect: createConnectTransport };
const services = { EventService, ManagementService };

/** Whom to call as whom; the tests choose it before anything else. */
let clients;
let headers;
/** The watch that is open. */
let watch;

/** What came of a call, as plain data: the answer, or what the page can read of a refusal. */
async function told(answer) {
  try {
    return { answer: await answer() };
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    const [info] = error.findDetails(ErrorInfoSchema);
    return { refusal: { code: Code[error.code], reason: info?.reason, text: error.rawMessage } };
  }
}

function next() {
  return told(async () => {
    const { value } = await watch.answers.next();
    return value && toJson(EventService.method.watchEvents.output, value);
  });
}

globalThis.admin = {
  connect(protocol, baseUrl, token) {
    const transport = transports[protocol]({ baseUrl });
    clients = Object.fromEntries(
      Object.entries(services).map(([name, service]) => [name, createClient(service, transport)]),
    );
    headers = { authorization: `Bearer ${token}` };
  },
  call(method, request) {
    const { output } = ManagementService.method[method];
    const answer = () => clients.ManagementService[method](request, { headers });
    return told(async () => toJson(output, await answer()));
  },
  watch({ sequence, ...rest }) {
    const over = new AbortController();
    const request = { ...rest, sequence: BigInt(sequence) };
    const answers = clients.EventService.watchEvents(request, { headers, signal: over.signal });
    watch = { over, answers: answers[Symbol.asyncIterator]() };
  },
  next,
  /** Ends the watch while the page waits for news; tells what the page then sees. */
  abort() {
    const last = next();
    watch.over.abort();
    return last;
  },
};
