import type { DescMessage } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { AddAppKeyResponseSchema } from "../../gen/iam/management/v1/app_key_pb.js";
import { ImportHumanUserResponseSchema } from "../../gen/iam/management/v1/human_pb.js";
import { isSecret, withoutSecrets } from "../../src/api/secret-fields.ts";
import { methods } from "../harness/contract.ts";

/** The fields of a message and of those in it, by their paths. */
function pathsIn(desc: DescMessage, path: string, seen: readonly DescMessage[] = []): string[] {
  if (seen.includes(desc)) return [];
  return desc.fields.flatMap((field) => {
    const here = `${path}.${field.name}`;
    if (field.message) return pathsIn(field.message, here, [...seen, desc]);
    return [isSecret(field) ? `${here}: secret` : here];
  });
}

test("the contract calls secrets what callers are told once", () => {
  const paths = methods.flatMap(({ output }) => pathsIn(output, output.name));
  const told = paths.filter((path) => path.endsWith(": secret"));
  expect([...new Set(told)]).toEqual([
    "AddIAMMemberResponse.initialization_link: secret",
    "UpdateIAMMemberResponse.initialization_link: secret",
    "AddOrgMemberResponse.initialization_link: secret",
    "AddProjectMemberResponse.initialization_link: secret",
    "AddOIDCAppResponse.client_secret: secret",
    "AddAPIAppResponse.client_secret: secret",
    "GenerateMachineSecretResponse.client_secret: secret",
    "AddMachineKeyResponse.key_details: secret",
    "AddPersonalAccessTokenResponse.token: secret",
    "AddPasswordlessRegistrationResponse.link: secret",
    "ImportHumanUserResponse.passwordless_registration.link: secret",
    "UpdateOrgMemberResponse.initialization_link: secret",
    "UpdateProjectMemberResponse.initialization_link: secret",
    "RegenerateOIDCClientSecretResponse.client_secret: secret",
    "RegenerateAPIClientSecretResponse.client_secret: secret",
    "AddAppKeyResponse.key_details: secret",
    "SetPhoneResponse.verification_code: secret",
    "ResendPhoneCodeResponse.verification_code: secret",
  ]);
  // Whether there is one may be told again, where a list goes on, and what a policy says.
  const named = paths.filter((path) => /(secret|token|code|link|password)$/.test(path));
  const open = /PolicyResponse\.|(has_secret|needs_password|next_page_token|resume_token)$/;
  expect(named.filter((path) => !open.test(path))).toEqual(told);
});

test("what is secret is emptied, wherever it is", () => {
  const passwordlessRegistration = { link: "https://iam.example.com/?code=1" };
  const message = create(ImportHumanUserResponseSchema, { userId: "1", passwordlessRegistration });
  expect(withoutSecrets(ImportHumanUserResponseSchema, message)).toMatchObject({
    userId: "1",
    passwordlessRegistration: { link: "" },
  });
});

test("a secret of bytes is taken out too", () => {
  const answer = { id: "1", keyDetails: new Uint8Array(1) };
  const message = create(AddAppKeyResponseSchema, answer);
  const left = create(AddAppKeyResponseSchema, { id: "1" });
  expect(withoutSecrets(AddAppKeyResponseSchema, message)).toEqual(left);
});
