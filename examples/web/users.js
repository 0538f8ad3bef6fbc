import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { ErrorInfoSchema } from "/gen/google/rpc/error_details_pb.js";
import { ManagementService } from "/gen/iam/management/v1/management_service_pb.js";
import { UserFieldName } from "/gen/iam/user/v1/search_pb.js";
import { UserState } from "/gen/iam/user/v1/user_pb.js";
import { TextQueryMethod } from "/gen/iam/v1/search_pb.js";

// Lists users over gRPC-Web, page by page. The token is kept in its field and nowhere else.

const limit = 20;
const at = (id) => document.getElementById(id);
const { content: baseUrl } = document.querySelector('meta[name="iam-url"]');
const client = createClient(ManagementService, createGrpcWebTransport({ baseUrl }));

let offset = 0;
/** Ends the call before: its answer may not overwrite a later one. */
let calling = new AbortController();

async function list() {
  calling.abort();
  calling = new AbortController();
  const { signal } = calling;
  at("refusal").textContent = "";
  try {
    const request = {
      query: { offset: BigInt(offset), limit, asc: true },
      sortingColumn: UserFieldName.USER_NAME,
      queries: conditions(at("text").value.trim()),
    };
    const headers = { authorization: `Bearer ${at("token").value.trim()}` };
    show(await client.listUsers(request, { headers, signal, timeoutMs: 30_000 }));
  } catch (thrown) {
    if (signal.aborted) return;
    show({ result: [], details: { totalResult: 0n } });
    at("refusal").textContent = describe(ConnectError.from(thrown));
  }
}

/** No condition without a text; else the text is in one of three places. */
function conditions(text) {
  if (text === "") return [];
  const method = TextQueryMethod.CONTAINS_IGNORE_CASE;
  const queries = [
    { query: { case: "userNameQuery", value: { userName: text, method } } },
    { query: { case: "displayNameQuery", value: { displayName: text, method } } },
    { query: { case: "emailQuery", value: { emailAddress: text, method } } },
  ];
  return [{ query: { case: "orQuery", value: { queries } } }];
}

function show({ result, details }) {
  const total = Number(details.totalResult);
  const range = result.length === 0 ? "None" : `${offset + 1} to ${offset + result.length}`;
  at("found").textContent = `${range} of ${total}`;
  at("users").replaceChildren(...result.map(rowOf));
  at("previous").disabled = offset === 0;
  at("next").disabled = offset + limit >= total;
}

function rowOf({ userName, state, type: { case: is, value } }) {
  const isHuman = is === "human";
  const row = document.createElement("tr");
  for (const text of [
    userName,
    isHuman ? value.profile.displayName : value.name,
    isHuman ? value.email.email : "",
    UserState[state].toLowerCase(),
  ]) {
    // As text, never as HTML: people choose their names.
    row.insertCell().textContent = text;
  }
  return row;
}

/** The stable reason, and the message, which says what is wrong. */
function describe(error) {
  const [info] = error.findDetails(ErrorInfoSchema);
  if (info !== undefined) return `${info.reason}: ${error.rawMessage}`;
  // Browsers do not tell pages why: the service is not there, or does not let this page in.
  const setting = `IAM_CORS_ORIGINS=${location.origin}`;
  return `${error.rawMessage}: is the service running at ${baseUrl}, with ${setting}?`;
}

function turn(pages) {
  offset = Math.max(0, offset + pages * limit);
  list();
}

at("search").addEventListener("submit", (event) => {
  event.preventDefault();
  offset = 0;
  list();
});
at("previous").addEventListener("click", () => turn(-1));
at("next").addEventListener("click", () => turn(1));
