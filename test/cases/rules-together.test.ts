import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { SearchQuerySchema } from "../../gen/iam/user/v1/search_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { type Case, row, runCases } from "../harness/cases.ts";

// What the contract and what the domain says of fields is told at once, and before anything is
// looked up: each of these calls also names something that is not there.

const management = ManagementService.method;
const undefinedNumber = Number("99");

/** A row with a request that breaks rules of both kinds. */
function refused<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  fields: readonly string[],
): Case {
  return row(`${method.name} tells all`, method, () => ({
    request,
    expected: { code: 3, reason: "INVALID_FIELDS", fields },
  }));
}

runCases("rules of both kinds", [
  refused(
    management.addOIDCApp,
    {
      projectId: "unknown",
      name: "",
      redirectUris: ["", "no", "https://app.example.com", "u".repeat(2_049)],
      responseTypes: [undefinedNumber, 1],
    },
    [
      "name",
      "redirect_uris[3]",
      "response_types[0]",
      "redirect_uris[0]",
      "redirect_uris[1]",
      "response_types",
    ],
  ),
  refused(management.addSAMLApp, { projectId: "unknown", name: " " }, ["metadata", "name"]),
  refused(
    management.addSAMLApp,
    { projectId: "", name: "n", metadata: { case: "metadataUrl", value: "no" } },
    ["project_id", "metadata_url"],
  ),
  refused(
    management.updateProject,
    { id: "unknown", name: "\n", privateLabelingSetting: undefinedNumber },
    ["private_labeling_setting", "name"],
  ),
  refused(
    AdminService.method.updateIDPOIDCConfig,
    { idpId: "unknown", issuer: "http://a.example", clientId: "", scopes: ["a b", ""] },
    ["client_id", "scopes[1]", "issuer", "scopes[0]"],
  ),
  refused(management.createAction, { name: "", script: "(", timeout: { seconds: 21n } }, [
    "name",
    "script",
    "timeout",
  ]),
  refused(management.addMachineUser, { userName: " ", name: "n", userId: "mine" }, [
    "user_id",
    "user_name",
  ]),
  refused(management.addOrgMember, { userId: "", roles: ["ORG_OWNER", "IAM_OWNER"] }, [
    "user_id",
    "roles[1]",
  ]),
  refused(
    management.importHumanUser,
    {
      userName: "\u3164",
      profile: { firstName: "Ada", lastName: "", preferredLanguage: "_" },
      email: { email: "ada" },
      password: "password",
      phone: { phone: "044" },
      idps: [{ configId: "unknown", externalUserId: "a", displayName: "\u202e" }],
    },
    [
      "profile.last_name",
      "user_name",
      "profile.preferred_language",
      "email.email",
      "phone.phone",
      "password",
      "idps[0].display_name",
    ],
  ),
  refused(management.resendHumanInitialization, { userId: "", email: "ada" }, ["user_id", "email"]),
  refused(
    management.listUsers,
    {
      sortingColumn: undefinedNumber,
      queries: Array.from({ length: 21 }, () =>
        create(SearchQuerySchema, { query: { case: "stateQuery", value: {} } }),
      ),
    },
    ["sorting_column", "queries"],
  ),
  refused(UserService.method.setPhone, { userId: "", phone: "+41 44 668 18 00;ext=1" }, [
    "user_id",
    "phone",
  ]),
  refused(AccountService.method.finishPasskey, { userId: "unknown", codeId: "c", name: "\n" }, [
    "code",
    "name",
    "registration",
  ]),
  refused(AccountService.method.initialize, { userId: "unknown", code: "", password: "password" }, [
    "code",
    "password",
  ]),
]);
