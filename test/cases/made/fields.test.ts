import { fromJson, type Message } from "@bufbuild/protobuf";
import { type Broken, brokenOf } from "../../harness/boundaries.ts";
import { type Case, runCases } from "../../harness/cases.ts";
import { clientNames } from "../../harness/clients.ts";
import { all } from "./requests.ts";

// Rows that the contract makes: each rule that it states of a field, and U+0000 in every text,
// broken at each place of each request. Nothing else is wrong, so nothing else is told.

/** What rules of the domain refuse as well: entries too many or repeated, any factor. */
const alsoElsewhere =
  /(?:(?:idps|_query\.queries|roles|second_factors) repeated\.max_items|^multi_factors\[0\] .*)$/;
const isAlone = ({ field, rule }: Broken) => !alsoElsewhere.test(`${field} ${rule}`);

const notInPaths = {
  clients: clientNames.filter((name) => name !== "rest"),
  because: "an empty text in the path leads elsewhere, and a long one has no room there",
};
/** Bytes of an id for which a path has room. */
const pathMax = 8_000;

runCases(
  "fields",
  all.flatMap(({ method, request }) =>
    brokenOf(method.input, request)
      .filter(isAlone)
      .map(({ field, rule, request: broken }): Case => {
        const isEmpty = rule === "string.min_len" && !field.includes(".");
        const jsonName = method.input.fields.find(({ name }) => name === field)?.jsonName ?? "";
        const isLong = encodeURIComponent(`${broken[jsonName]}`).length > pathMax;
        return {
          name: `${method.name} refuses ${field} past ${rule}`,
          method,
          run: async () => ({
            request: fromJson(method.input, broken) as Message,
            expected: { code: 3, reason: "INVALID_FIELDS", fields: [field] },
          }),
          ...(isEmpty || isLong ? { only: notInPaths } : {}),
        };
      }),
  ),
);
