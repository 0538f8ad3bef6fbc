import { hash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { org, setUpOrg } from "../../src/domain/org.ts";
import type { LabelPolicy } from "../../src/domain/policy/label.ts";
import type { PrivacyPolicy } from "../../src/domain/policy/privacy.ts";
import type { WorkerOptions } from "../../src/notify/worker.ts";
import { Forged } from "../../src/store/chain/forged.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { languages } from "../../src/text/language.ts";
import { linkTexts } from "../../src/text/link-texts.ts";
import { few } from "../harness/in-full.ts";
import { givePolicies, links, violet } from "../pages/brands.ts";
import { type MailPlace, mailPlace } from "./mail-place.ts";
import { importPerson, organization } from "./place.ts";
import type { Mail } from "./smtp.ts";

const bytes = Buffer.from("the bytes of a logo");
const sha256 = hash("sha256", bytes);
const withLogo: LabelPolicy = {
  ...violet,
  images: { logo: { light: { sha256, type: "image/png" } }, icon: {} },
};

let place: MailPlace;
beforeEach(async () => {
  place = await mailPlace();
});
afterEach(() => place.remove());

type Attachment = WorkerOptions["store"]["attachment"];

const kept: Attachment = async (digest) => (digest === sha256 ? bytes : undefined);

/** The mail about a new account, of an organization with these policies. */
async function mailWith(
  given: { readonly label?: LabelPolicy; readonly privacy?: PrivacyPolicy },
  { language = "en", attachment = kept }: { language?: string; attachment?: Attachment } = {},
): Promise<Mail> {
  const { execute, store } = place;
  await execute({
    ...{ actor: "somebody", relies: {} },
    writes: { org: { noun: org, id: organization, owner: organization } },
    decide: () => ({ events: { org: setUpOrg("Analytical Engines") } }),
  });
  await givePolicies({ execute, admin: { organization } as never }, organization, given);
  const server = await place.mailServer();
  await importPerson(place, { preferredLanguage: language });
  place.startWith(server, { store: { ...store, attachment } });
  await place.recorded("user.human.initialization.code.sent");
  return server.mails[0]!;
}

describe("a mail of an organization", () => {
  test("has its colours, and those of the dark where mail programs know style sheets", async () => {
    const { html = "" } = await mailWith({ label: violet });
    const [style = ""] = /<style>.*<\/style>/s.exec(html) ?? [];
    expect(style).toContain("(prefers-color-scheme: dark)");
    for (const color of ["#1e1033", "#ede9fe", "#c4b5fd"]) expect(style).toContain(color);
    const light = html.replace(style, "");
    for (const color of ["#fffbeb", "#3b0764", "#6d28d9"]) expect(light).toContain(color);
  });

  test.each([
    ["LIGHT", "light", "#fffbeb"],
    ["DARK", "dark", "#1e1033"],
  ] as const)("of the mode %s has one look", async (themeMode, scheme, ground) => {
    const { html = "" } = await mailWith({ label: { ...violet, themeMode } });
    expect(html).toContain(`<meta name="color-scheme" content="${scheme}">`);
    expect(html).not.toContain("<style>");
    expect(html).toContain(`background: ${ground}`);
  });

  test("brings its logo along, and asks no server for it", async () => {
    const { html = "", pictures, header } = await mailWith({ label: withLogo });
    expect(pictures.map((picture) => [...picture.header].sort())).toEqual([
      [
        ["content-disposition", "inline"],
        ["content-id", `<${sha256}@logo>`],
        ["content-transfer-encoding", "base64"],
        ["content-type", "image/png"],
      ],
    ]);
    expect(pictures[0]?.bytes.equals(bytes)).toBe(true);
    const images = [...html.matchAll(/<img src="([^"]*)" alt="([^"]*)"/g)];
    expect(images.map(([, src, alt]) => [src, alt])).toEqual([
      [`cid:${sha256}@logo`, "Analytical Engines"],
    ]);
    expect(header.get("auto-submitted")).toBe("auto-generated");
  });

  test("goes without a logo that is gone or forged, and waits for a store", async () => {
    for (const attachment of [
      async () => undefined,
      async () => {
        throw new Forged("other bytes", { attachment: sha256 });
      },
    ]) {
      const { html = "", pictures } = await mailWith({ label: withLogo }, { attachment });
      expect([pictures, html.includes("<img")]).toEqual([[], false]);
      await place.remove();
      place = await mailPlace();
    }
    let isAway = true;
    const attachment = async (digest: string) => {
      if (!isAway) return await kept(digest);
      isAway = false;
      throw new StoreUnavailable("away");
    };
    const mail = mailWith({ label: withLogo }, { attachment });
    await place.watch.until(() => place.logged.some((line) => line.includes("left until")));
    expect(isAway).toBe(false);
    place.clock.nowMs += 10 * 60_000;
    for (const due of place.timers.values()) due();
    expect((await mail).pictures).toHaveLength(1);
  });

  few(2).each(languages)("says in %s why it comes, and links where more is", async (language) => {
    const { html = "", text } = await mailWith({ privacy: links }, { language });
    const [why = "", ...lines] = text.trimEnd().split("\n\n").at(-1)?.split("\n") ?? [];
    expect(why).toContain("Analytical Engines");
    const { terms, privacy, help, documentation, support } = linkTexts[language];
    expect(lines).toEqual([
      `${terms}: ${links.tosLink}`,
      `${privacy}: ${links.privacyLink}`,
      `${help}: ${links.helpLink}`,
      `${documentation}: ${links.docsLink}`,
      `status.acme.example.com: ${links.customLink}`,
      `${support}: mailto:${links.supportEmail}`,
    ]);
    const [, ...followed] = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);
    expect(followed).toEqual(
      lines.map((line) => line.replace(/.*?: /, "").replaceAll("&", "&amp;")),
    );
    expect(html).toContain(why);
  });
});
