import { v7 } from "uuid";
import { entity } from "../saml/document.ts";
import { phoneCode } from "./world.ts";

/** The ids that a request may hold. */
export type RequestIds = {
  readonly [kind in "project" | "user" | "token" | "idp"]?: string | undefined;
};

/** The smallest valid request of a method, with these ids and names that nothing else has. */
export function bodyOf(method: string, { project, user, token, idp }: RequestIds): object {
  const name = v7();
  switch (method) {
    case "AddIAMMember":
      return { userId: user, roles: ["IAM_OWNER_VIEWER"] };
    case "AddOrgMember":
      return { userId: user, roles: ["ORG_USER_MANAGER"] };
    case "AddProjectMember":
      return { projectId: project, userId: user, roles: ["PROJECT_OWNER"] };
    case "AddOIDCApp":
    case "AddAPIApp":
      return { projectId: project, name };
    case "AddSAMLApp": {
      const document = entity({ attributes: `entityID="${name}"` });
      return { projectId: project, name, metadataXml: Buffer.from(document).toString("base64") };
    }
    case "AddMachineUser":
      return { userName: name, name };
    case "ImportHumanUser": {
      const profile = { firstName: "Ada", lastName: "Lovelace" };
      return { userName: name, profile, email: { email: "ada@example.com" } };
    }
    case "AddPersonalAccessToken":
      return { userId: user };
    case "RemovePersonalAccessToken":
      return { userId: user, tokenId: token };
    case "SetPhone":
      return { userId: user, phone: "+41446681801" };
    case "VerifyPhone":
      return { userId: user, verificationCode: phoneCode };
    case "ResendPhoneCode":
    case "RemovePhone":
      return { userId: user };
    case "AddJWTIDP": {
      const url = "https://idp.example.com";
      return { name, jwtEndpoint: url, issuer: url, keysEndpoint: url, headerName: "a" };
    }
    case "AddOrgOIDCIDP":
      return { name, ...oidc };
    case "UpdateIDPOIDCConfig":
      return { idpId: idp, ...oidc };
    case "CreateAction":
      return { name, script: "1" };
    default:
      return { name };
  }
}

const oidc = { clientId: "client", clientSecret: "secret", issuer: "https://idp.example.com" };
