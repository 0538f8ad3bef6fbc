import { hashSecret } from "../../src/secrets/tokens.ts";
import { openBrowser } from "../provider/browser.ts";
import { changed, keyOf, payloadOf } from "../threats/artifacts.ts";
import type { Effect, Forgery } from "./forgery.ts";
import { askForToken, beginLogin, call, callback } from "./life.ts";
import type { Scene } from "./stage.ts";

const forged = "f".repeat(43);
const unseen = true;

/** Whether userinfo tells a token about the owner. */
const tellsOwner =
  (tokenOf: (scene: Scene) => string): Effect =>
  async (scene, url) => {
    const headers = { authorization: `Bearer ${tokenOf(scene)}` };
    const response = await fetch(`${url}/oidc/v1/userinfo`, { headers });
    return (await response.text()).includes(scene.life.owner.id);
  };
const isOwner =
  (tokenOf: (scene: Scene) => string): Effect =>
  async (scene, url) =>
    (await call(url, tokenOf(scene), "POST", "/admin/v1/events/_search", { limit: 1 })).status ===
    200;
const refreshes =
  (tokenOf: (scene: Scene) => string): Effect =>
  async (scene, url) => {
    const asked = { grant_type: "refresh_token", client_id: scene.life.app.clientId };
    return (await askForToken(url, { ...asked, refresh_token: tokenOf(scene) })).status === 200;
  };

/** What somebody writes into the table of artifacts who may serve on it, and has no key. */
export const artifactRows: readonly Forgery[] = [
  {
    name: "artifacts: a token of a machine under a hash of the forger",
    forge: async ({ artifacts, life }) => {
      const genuine = await artifacts.row("ClientCredentials", life.robot.access);
      await artifacts.put({ ...genuine, key: keyOf("ClientCredentials", forged) });
    },
    effect: isOwner(() => forged),
    unseen,
  },
  {
    name: "artifacts: the machine of a token exchanged",
    forge: async ({ artifacts, life }) => {
      const own = await artifacts.row("ClientCredentials", life.low.access);
      const theirs = payloadOf(await artifacts.row("ClientCredentials", life.robot.access));
      const { clientId = "", extra } = theirs;
      await artifacts.put(changed(own, { clientId, extra }));
    },
    effect: isOwner(({ life }) => life.low.access),
    unseen,
  },
  {
    name: "artifacts: a refresh token and a grant for another person",
    forge: async ({ artifacts, life }) => {
      const genuine = await artifacts.row("RefreshToken", life.person.refresh);
      const whose = { accountId: life.owner.id };
      const grant = await artifacts.row("Grant", payloadOf(genuine).grantId ?? "");
      await artifacts.put(
        { ...changed(grant, whose), key: keyOf("Grant", forged), family: forged },
        {
          ...changed(genuine, { ...whose, grantId: forged }),
          ...{ key: keyOf("RefreshToken", forged), family: forged },
        },
      );
    },
    effect: refreshes(() => forged),
    unseen,
  },
  {
    name: "artifacts: an access token under another hash",
    forge: async ({ artifacts, life }) => {
      const genuine = await artifacts.row("AccessToken", life.owner.access);
      await artifacts.put({ ...genuine, key: keyOf("AccessToken", forged) });
    },
    effect: tellsOwner(() => forged),
    unseen,
  },
  {
    name: "artifacts: the person of a token exchanged",
    forge: async ({ artifacts, life }) => {
      const own = await artifacts.row("AccessToken", life.person.access);
      const whose = { accountId: life.owner.id };
      const grant = await artifacts.row("Grant", payloadOf(own).grantId ?? "");
      await artifacts.put(changed(own, whose), changed(grant, whose));
    },
    effect: tellsOwner(({ life }) => life.person.access),
    unseen,
  },
  {
    name: "artifacts: a session under the cookie of the forger",
    forge: async ({ artifacts, life }) => {
      const genuine = await artifacts.row("Session", life.owner.session);
      await artifacts.put({ ...genuine, key: keyOf("Session", life.person.session) });
    },
    effect: async ({ life }, url) => {
      const browser = openBrowser(url);
      browser.hold("iam.session", life.person.session);
      const more = { prompt: "none", scope: "openid" };
      const page = await browser.open(beginLogin(url, life.app.clientId, more).path);
      return page.url.startsWith(callback) && page.url.includes("code=");
    },
    unseen,
  },
  {
    name: "artifacts: uses of a refresh token set back",
    forge: async ({ artifacts, life }) => {
      await artifacts.put({ ...(await artifacts.row("RefreshToken", life.spent)), uses: 0 });
    },
    effect: refreshes(({ life }) => life.spent),
    unseen,
  },
  {
    name: "artifacts: the result of a login written",
    when: "running",
    forge: async () => {},
    effect: async ({ artifacts, life, sql }, url) => {
      const browser = openBrowser(url);
      await browser.open(beginLogin(url, life.app.clientId).path);
      const uid = new URL(browser.page.url).pathname.split("/").at(-1) ?? "";
      const [{ state } = { state: "{}" }] = await sql(
        `SELECT state FROM objects WHERE stream = 'user-${life.owner.id}'`,
      );
      const { human } = JSON.parse(String(state)) as { human: { passwordHash: string } };
      const ours = { factors: ["password"], browser: "0".repeat(64), resets: 0 };
      const result = {
        login: { accountId: life.owner.id, amr: ["pwd"], remember: true },
        ours: { ...ours, password: hashSecret(human.passwordHash) },
      };
      await artifacts.put(changed(await artifacts.row("Interaction", uid), { result }));
      const page = await browser.open(`/oauth/v2/authorize/${uid}`);
      return page.text.includes("<h1>Continue</h1>") || page.url.includes("code=");
    },
    unseen,
  },
];
