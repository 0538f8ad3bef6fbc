import type { Template } from "../../src/domain/idp-config.ts";
import { type GivenProvider, givenProviderOf } from "../cases/idps.ts";
import type { Given } from "./given.ts";

/** Makes a provider of the template where the cell has it, as the calls of before made them. */
export const aProviderOf =
  (template: Template, more: GivenProvider = {}): Given =>
  async ({ server }, { organization, isServing }) => {
    const serves = isServing ? "INSTANCE" : "ORGANIZATION";
    return { idp: await givenProviderOf(server, organization, template, { serves, ...more }) };
  };

/** What is made belongs to the organization of the instance. */
export const ownedByInstance: Given = async ({ server: { admin } }) => {
  return { instead: admin.organization };
};

export const aProvider: Given = (maker, place) =>
  aProviderOf(place.isServing ? "JWT" : "OIDC")(maker, place);
