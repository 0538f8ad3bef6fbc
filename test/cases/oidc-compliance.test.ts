import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { complianceText } from "../../src/api/app/compliance-texts.ts";
import type { ProblemKey } from "../../src/domain/oidc-compliance.ts";
import type { Language } from "../../src/text/language.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import type { GivenOIDC } from "./apps.ts";
import { complianceRows, noUris } from "./compliances.ts";

const { addOIDCApp } = ManagementService.method;
runCases("OIDC compliance", [
  ...complianceRows.map(([what, given, problems]) => reports(what, given, problems)),
  ...complianceRows.map(([what, given, _problems, inDevMode]) =>
    reports(`${what}, in development mode`, { ...given, devMode: true }, inDevMode),
  ),
]);

const oneClient = {
  clients: ["json"],
  because: "the header is read once, by the gate that stands before every protocol",
} as const;

runCases("languages of compliance", [
  speaks({}, "en"),
  speaks({ "accept-language": "" }, "en"),
  speaks({ "accept-language": "de" }, "de"),
  speaks({ "accept-language": "DE-at" }, "de"),
  speaks({ "accept-language": "fr-CH" }, "fr"),
  speaks({ "accept-language": "pt, es;q=0.3, it;q=0.5" }, "it"),
  speaks({ "accept-language": "ja" }, "ja"),
  speaks({ "accept-language": "ar-EG" }, "ar"),
  speaks({ "accept-language": "pt" }, "en"),
  speaks({ "accept-language": "*" }, "en"),
  speaks({ "accept-language": ";;q=,=" }, "en"),
]);

function reports(what: string, given: GivenOIDC, problems: readonly string[]): Case {
  return row(what, addOIDCApp, ({ project, unique }) => ({
    request: { projectId: project, name: unique, ...given },
    expected: {
      ok({ noneCompliant, complianceProblems }) {
        expect(complianceProblems.map(({ key }) => key)).toEqual(problems.map(keyOf));
        // Present even where it is false.
        expect(noneCompliant).toBe(problems[0] === "NotCompliant");
        const texts = complianceProblems.map(({ localizedMessage }) => localizedMessage);
        expect(texts).toEqual(problems.map((problem) => complianceText(keyOf(problem), "en")));
      },
    },
  }));
}

function speaks(headers: { readonly [name: string]: string }, language: Language) {
  return row(
    `${JSON.stringify(headers)} reads ${language}`,
    addOIDCApp,
    ({ project, unique }) => ({
      request: { projectId: project, name: unique },
      headers,
      expected: {
        ok({ complianceProblems }) {
          const expected = noUris.map((problem) => complianceText(keyOf(problem), language));
          const texts = complianceProblems.map(({ localizedMessage }) => localizedMessage);
          expect(texts).toEqual(expected);
        },
      },
    }),
    oneClient,
  );
}

function keyOf(problem: string): ProblemKey {
  return `Application.OIDC.V1.${problem}` as ProblemKey;
}
