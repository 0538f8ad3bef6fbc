import { mustExist } from "../../domain/noun.ts";
import { updateOwnProfile } from "../../domain/user/change.ts";
import { accountCharacters, brokenParts, completeName } from "../../domain/user/human/human.ts";
import type { Profile } from "../../domain/user/state/human-state.ts";
import { failure } from "../../gateway/call/errors.ts";
import type { Answer } from "../../pages/account.ts";
import { profilePage, type ShownProfile } from "../../pages/html/account/profile.ts";
import { backTo, decideOwn, isDone, type Own, type Part, refusedIn } from "./part.ts";

/** The part on which people change their names, and what else others see of them. */
export const profile: Part = {
  show: async (own) => {
    const { human } = own.found.state;
    return page(own, 200, { profile: toType(mustExist(human)), isSaved: isDone(own, "saved") });
  },
  take: { save },
};

async function save(own: Own): Promise<Answer> {
  const typed = typedProfile(own);
  const wrong = brokenParts(typed);
  if (wrong.length > 0) return page(own, 400, { profile: typed, wrong });
  const wanted = { ...typed, displayName: completeName(typed) };
  const refused = await decideOwn(own, (state, self, nowMs) =>
    updateOwnProfile(state, self, wanted, nowMs),
  );
  if (refused === undefined || refused.reason === "NOTHING_CHANGED")
    return backTo("profile", "saved");
  return refused.reason === "LIMIT_REACHED"
    ? page(own, 429, { profile: typed, isTooOften: true })
    : refusedIn("profile", refused);
}

function page(
  { displayName, secret }: Own,
  status: number,
  shown: Pick<ShownProfile, "profile" | "wrong" | "isTooOften" | "isSaved">,
): Answer {
  const { name: nameCharactersMax } = accountCharacters;
  return { status, page: profilePage({ displayName, secret, nameCharactersMax, ...shown }) };
}

/** What the form has. A shown name that follows from the others is left to do so. */
function toType(human: Profile): Profile {
  const { firstName, lastName, nickName, displayName, preferredLanguage, gender } = human;
  const isMade = completeName({ firstName, lastName, displayName: "" }) === displayName;
  return {
    ...{ firstName, lastName, nickName, preferredLanguage, gender },
    displayName: isMade ? "" : displayName,
  };
}

const genders: readonly Profile["gender"][] = ["UNSPECIFIED", "FEMALE", "MALE", "DIVERSE"];

function typedProfile({ visit: { fields } }: Own): Profile {
  const line = (name: keyof Profile) => fields.of(name).trim();
  const gender = genders.find((one) => one === fields.of("gender"));
  if (gender === undefined) {
    throw failure({ reason: "MALFORMED_REQUEST", message: "Unknown gender." });
  }
  return {
    ...{ firstName: line("firstName"), lastName: line("lastName"), nickName: line("nickName") },
    displayName: line("displayName"),
    preferredLanguage: line("preferredLanguage"),
    gender,
  };
}
