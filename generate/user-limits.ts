import { personalDataLimits } from "../src/api/user/personal-data.ts";
import { noticeLifetimeMs } from "../src/domain/user/human/notice.ts";
import { metadataLimits } from "../src/domain/user/metadata.ts";
import { type Group, group } from "./limit-group.ts";

/** The bounds on what is kept of users. */
export const userGroups: readonly Group[] = [
  group("Metadata of users", "src/domain/user/metadata.ts", metadataLimits, {
    keysOfUser: [
      "Keys of one user, each with a value of 4,096 bytes at most",
      "refused with `LIMIT_REACHED`",
    ],
  }),
  group(
    "Mails about changes",
    "src/domain/user/human/notice.ts",
    { noticeLifetimeMs },
    {
      noticeLifetimeMs: [
        "Milliseconds from a change to the sending of the mail that tells the person of it",
        "the mail is not sent",
      ],
    },
  ),
  group("Personal data", "src/api/user/personal-data.ts", personalDataLimits, {
    pageBytes: ["UTF-8 bytes of the JSON of a page", "further events are on the next one"],
    pages: ["Pages of one user in a day", "refused with `TOO_MANY_DOWNLOADS`"],
    downloads: ["First pages of one user in a day", "refused with `TOO_MANY_DOWNLOADS`"],
  }),
];
