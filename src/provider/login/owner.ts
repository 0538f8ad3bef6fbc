import { instance, instanceId } from "../../domain/instance.ts";
import { becomeOwner, opensOwnerLink } from "../../domain/owner-link.ts";
import { judgePassword, passwordCharacters } from "../../domain/user/credential/password.ts";
import {
  accountCharacters,
  brokenParts,
  completeName,
  type NewHuman,
  nameHuman,
} from "../../domain/user/human/human.ts";
import { operator } from "../../domain/user/state/made.ts";
import { user } from "../../domain/user/state/user.ts";
import { readInstance } from "../../execute/read-object.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import type { AccountFields } from "../../pages/html/account-fields.ts";
import { ownerPage, type WrongOwner } from "../../pages/html/owner.ts";
import { languageFor } from "../../pages/language-choice.ts";
import { problemNamed } from "../../pages/problem.ts";
import type { PageTable } from "../../pages/routes.ts";
import { readPopular } from "../../secrets/passwords/popular.ts";
import { isHashOf } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";

/** The page behind the link by which a person becomes an owner of the instance. */
export function ownerPages(parts: ProviderParts): PageTable {
  return {
    "/ui/owner": {
      get: (visit) => show(parts, visit),
      post: (visit) => take(parts, visit),
    },
  };
}

const fieldNames = ["userName", "email", "firstName", "lastName"] as const;
const rule = {
  passwordCharactersMin: passwordCharacters.min,
  passwordCharactersMax: passwordCharacters.max,
  nameCharactersMax: accountCharacters.name,
  emailCharactersMax: accountCharacters.email,
};
const nothing: AccountFields = { userName: "", email: "", firstName: "", lastName: "" };

// Tries are not counted: nobody guesses the code, and strangers could end the link by them.
async function show(parts: ProviderParts, { fields }: Visit): Promise<Answer> {
  const code = fields.of("code");
  const state = await readInstance(parts.store);
  return opensOwnerLink(state, showing(code), parts.now())
    ? { status: 200, page: ownerPage(code, nothing, { rule }) }
    : over;
}

async function take(parts: ProviderParts, { fields, request }: Visit): Promise<Answer> {
  const code = fields.of("code");
  const state = await readInstance(parts.store);
  // Without a code the service hashes no password.
  if (!opensOwnerLink(state, showing(code), parts.now())) return over;
  const { organization } = state;
  const given = ownerFields(fields);
  const again = (status: number, wrong: WrongOwner): Answer => ({
    status,
    page: ownerPage(code, given, { rule, wrong }),
  });
  const wrong = await judge(given, fields.of("password"));
  if (Object.keys(wrong).length > 0) return again(400, wrong);
  const language = languageFor(request.headers, undefined);
  const human = { ...newHuman(given, language), organization };
  const reason = await parts.passwords.byCode("owner", () =>
    become(parts, code, human, fields.of("password")),
  );
  if (reason === undefined) return { redirect: "done?after=owner" };
  return reason === "NAME_TAKEN" ? again(409, { userName: "taken" }) : over;
}

/** Makes the person an owner; answers why it could not. */
async function become(
  parts: ProviderParts,
  code: string,
  human: Omit<NewHuman, "passwordHash">,
  password: string,
): Promise<string | undefined> {
  // Another may have used the link up meanwhile.
  const state = await readInstance(parts.store);
  if (!opensOwnerLink(state, showing(code), parts.now())) return "CONFLICT";
  const userId = parts.newId();
  const passwordHash = await parts.passwords.hashPassword(password);
  const outcome = await parts.execute({
    actor: operator,
    writes: {
      instance: { noun: instance, id: instanceId },
      user: { noun: user, id: userId, owner: human.organization, isNew: true },
    },
    decide: (states, nowMs) =>
      becomeOwner(
        states.instance,
        { ...showing(code), userId, human: { ...human, passwordHash } },
        nowMs,
      ),
  });
  if (outcome.kind === "done") return undefined;
  return outcome.kind === "rejected" ? outcome.rejection.reason : "CONFLICT";
}

const over: Answer = problemNamed("ownerLink", 400);

function showing(code: string) {
  return { opens: (codeHash: string) => isHashOf(codeHash, code) };
}

function ownerFields(fields: Visit["fields"]): AccountFields {
  const entries = fieldNames.map((name) => [name, fields.of(name).trim()]);
  return Object.fromEntries(entries) as AccountFields;
}

async function judge(given: AccountFields, password: string): Promise<WrongOwner> {
  const problems = brokenParts(given);
  const known = {
    ...given,
    nickName: "",
    displayName: completeName({ ...given, displayName: "" }),
  };
  const wrong = judgePassword(password, known, await readPopular());
  return {
    ...Object.fromEntries(problems.map((name) => [name, "invalid"])),
    ...(wrong === undefined ? {} : { password: wrong }),
  };
}

/** The person who was described; the address is only said, by a reader of the log's files. */
function newHuman(
  { userName, email, firstName, lastName }: AccountFields,
  preferredLanguage: string,
): Omit<NewHuman, "organization" | "passwordHash"> {
  const names = { firstName, lastName, displayName: "" };
  return {
    added: {
      ...nameHuman(userName),
      ...{ ...names, displayName: completeName(names), nickName: "" },
      ...{ email, preferredLanguage, gender: "UNSPECIFIED", passwordChangeRequired: false },
    },
    externalIDPs: [],
    ...{ isEmailVerified: true, isPhoneVerified: false },
  };
}
