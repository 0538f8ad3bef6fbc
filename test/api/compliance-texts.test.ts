import { describe, expect, test } from "@jest/globals";
import { complianceText } from "../../src/api/app/compliance-texts.ts";
import type { ProblemKey } from "../../src/domain/oidc-compliance.ts";
import { languages } from "../../src/text/language.ts";

/** Every key there is, so that one without a text does not compile. */
const problems: { readonly [key in ProblemKey]: true } = {
  "Application.OIDC.V1.NotCompliant": true,
  "Application.OIDC.V1.NoRedirectUris": true,
  "Application.OIDC.V1.NotAllCombinationsAreAllowed": true,
  "Application.OIDC.V1.GrantType.Refresh.NoAuthCode": true,
  "Application.OIDC.V1.Implicit.RedirectUris.CustomNotAllowed": true,
  "Application.OIDC.V1.Implicit.RedirectUris.HttpNotAllowed": true,
  "Application.OIDC.V1.Code.RedirectUris.HttpOnlyForWeb": true,
  "Application.OIDC.V1.Code.RedirectUris.CustomOnlyForNative": true,
  "Application.OIDC.V1.Native.RedirectUris.MustBeHttpLocalhost": true,
  "Application.OIDC.V1.Native.AuthMethodType.NotNone": true,
  "Application.OIDC.V1.UserAgent.AuthMethodType.NotNone": true,
};
const keys = Object.keys(problems) as ProblemKey[];

describe.each(languages)("in %s", (language) => {
  test.each(keys)("%s has a sentence of its own", (key) => {
    const text = complianceText(key, language);
    expect(text).toMatch(/^\S.{20,}[.。]$/u);
    expect(keys.filter((other) => complianceText(other, language) === text)).toEqual([key]);
    expect(languages.filter((other) => complianceText(key, other) === text)).toEqual([language]);
  });
});
