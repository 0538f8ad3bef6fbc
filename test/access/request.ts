import { v7 } from "uuid";
import { entity } from "../saml/document.ts";
import { phoneCode } from "./world.ts";

/** The ids that a request may hold. */
export type RequestIds = {
  readonly [kind in "project" | "app" | "user" | "token" | "idp" | "action" | "organization"]?:
    | string
    | undefined;
};

/**
 * The smallest valid request of a method, with these ids and names that nothing else has. Lists are
 * asked for their oldest entries, which are there from the start. Throws where the method is new:
 * what it is called with must be said here.
 */
export function bodyOf(method: string, ids: RequestIds): object {
  const { project, app, user, token, idp, action, organization } = ids;
  const name = v7();
  switch (method) {
    case "AddIAMMember":
      return { userId: user, roles: ["IAM_OWNER_VIEWER"] };
    case "AddOrgMember":
      return { userId: user, roles: ["ORG_USER_MANAGER"] };
    case "AddProjectMember":
      return { projectId: project, userId: user, roles: ["PROJECT_OWNER"] };
    case "RemoveProjectMember":
      return { projectId: project, userId: user };
    case "AddOIDCApp":
    case "AddAPIApp":
      return { projectId: project, name };
    case "AddSAMLApp": {
      const document = entity({ attributes: `entityID="${name}"` });
      return { projectId: project, name, metadataXml: Buffer.from(document).toString("base64") };
    }
    case "GetProjectByID":
    case "DeactivateProject":
    case "ReactivateProject":
    case "RemoveProject":
      return { id: project };
    case "GetAppByID":
    case "DeactivateApp":
    case "ReactivateApp":
    case "RemoveApp":
    case "RegenerateOIDCClientSecret":
    case "RegenerateAPIClientSecret":
      return { projectId: project, appId: app };
    case "ListApps":
      return { projectId: project, ...oldest };
    case "AddMachineUser":
      return { userName: name, name };
    case "ImportHumanUser": {
      const profile = { firstName: "Ada", lastName: "Lovelace" };
      return { userName: name, profile, email: { email: "ada@example.com" } };
    }
    case "RemovePersonalAccessToken":
      return { userId: user, tokenId: token };
    case "SetPhone":
      return { userId: user, phone: "+41446681801" };
    case "VerifyPhone":
      return { userId: user, verificationCode: phoneCode };
    case "AddPersonalAccessToken":
    case "ResendPhoneCode":
    case "RemovePhone":
    case "RemoveIAMMember":
    case "RemoveOrgMember":
      return { userId: user };
    case "GetUserByID":
    case "DeactivateUser":
    case "ReactivateUser":
    case "RemoveUser":
      return { id: user };
    case "AddJWTIDP": {
      const url = "https://idp.example.com";
      return { name, jwtEndpoint: url, issuer: url, keysEndpoint: url, headerName: "a" };
    }
    case "AddOrgOIDCIDP":
      return { name, ...oidc };
    case "UpdateIDPOIDCConfig":
      return { idpId: idp, ...oidc };
    case "GetIDPByID":
    case "GetOrgIDPByID":
      return { id: idp };
    case "RemoveIDP":
    case "RemoveOrgIDP":
      return { idpId: idp };
    case "CreateAction":
      return { name, script: "1" };
    case "GetAction":
    case "DeactivateAction":
    case "ReactivateAction":
    case "DeleteAction":
      return { id: action };
    case "ListProjects":
    case "ListUsers":
    case "ListActions":
    case "ListIDPs":
    case "ListOrgIDPs":
    case "ListOrgs":
      return oldest;
    case "ListEvents":
      return { asc: true };
    case "WatchEvents":
      return { resourceOwner: organization };
    case "AddOrg":
    case "AddProject":
      return { name };
    default:
      throw new Error(`nobody has said what ${method} is called with`);
  }
}

const oidc = { clientId: "client", clientSecret: "secret", issuer: "https://idp.example.com" };
const oldest = { query: { asc: true, limit: 5 } };
