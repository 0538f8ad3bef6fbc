import { randomBytes } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { createClientSecret, hashSecret } from "../../src/secrets/tokens.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { clientNames } from "../harness/clients.ts";
import {
  begun,
  codeRows,
  type Given,
  givenLink,
  imported,
  made,
  refused,
  requestWith,
  ways,
} from "./accounts.ts";
import { granted } from "./stored.ts";
import { happen } from "./users.ts";
import { type Device, register } from "./webauthn.ts";

/** Links to register passkeys: for one person, for one passkey. */

const { beginPasskey, finishPasskey } = AccountService.method;

const invalid = {
  code: 3,
  reason: "PASSKEY_INVALID",
  message: "The passkey was not created with the options that this service issued for this code.",
};
const taken = {
  code: 6,
  reason: "PASSKEY_TAKEN",
  message: "The passkey is already registered.",
};

/** One more link for a person, as no call makes them yet. */
async function another({ server }: World, { userId }: Given): Promise<Required<Given>> {
  const link = { userId, codeId: v7(), code: createClientSecret(randomBytes) };
  const expirationMs = Date.now() + 60_000;
  const payload = { codeId: link.codeId, codeHash: hashSecret(link.code), expirationMs };
  const type = "user.human.passwordless.initialization.code.added";
  await happen(server, [{ type, payload }], { id: userId });
  return link;
}

/** A passkey that was made from other options than those for the link. */
function foreign(
  title: string,
  from: (world: World, link: Required<Given>) => Promise<JsonObject>,
  device: (options: JsonObject) => Device = () => ({}),
): Case {
  return row(`FinishPasskey: refuses options ${title}`, finishPasskey, async (world) => {
    const link = await givenLink(world);
    const options = await from(world, link);
    const registration = register(options, device(options));
    return { request: requestWith(link, registration), token: "", expected: invalid };
  });
}

/** A request that breaks a rule of the fields, with a good link and a good passkey. */
function broken(title: string, values: object, field: string): Case {
  return row(`FinishPasskey: refuses ${title}`, finishPasskey, async (world) => {
    const { request } = await made(world, await givenLink(world));
    return {
      request: { ...request, ...values },
      token: "",
      expected: { code: 3, reason: "INVALID_FIELDS", fields: [field] },
    };
  });
}

const notPlain = {
  clients: clientNames.filter((name) => name !== "json" && name !== "rest"),
  because: "HTTP has a status of its own for it, which test/gateway looks at",
};
const text = (options: JsonObject) =>
  Buffer.from(String(options.challenge), "base64url").toString();
const asChallenge = (changed: string) => Buffer.from(changed).toString("base64url");

runCases("links", [
  ...codeRows(ways.beginPasskey),
  ...codeRows(ways.finishPasskey),

  foreign("of another person", async (world) =>
    begun(world, await givenLink({ ...world, unique: `${world.unique} 2` })),
  ),
  foreign("of another link of the person", async (world, link) =>
    begun(world, await another(world, link)),
  ),
  foreign("that are cut", begun, (options) => ({
    challenge: asChallenge(text(options).slice(0, -1)),
  })),
  foreign("that go on", begun, (options) => ({ challenge: asChallenge(`${text(options)}A`) })),
  foreign("of another key", begun, (options) => ({
    challenge: asChallenge(text(options).replace(/\.[^.]+\./, ".other.")),
  })),
  foreign("that somebody guessed", begun, () => ({
    challenge: asChallenge(String(Date.now() + 300_000)),
  })),
  foreign("sealed for something else", async ({ server }, { userId }) => {
    const place = { stream: `user-${userId}`, field: "phone.code" };
    const challenge = asChallenge(server.keyring.seal(String(Date.now() + 300_000), place));
    return { challenge, rp: { id: "iam.example.com" } };
  }),

  row("FinishPasskey: takes options that are not the latest", finishPasskey, async (world) => {
    const link = await givenLink(world);
    const { request } = await made(world, link);
    await begun(world, link);
    return { request, token: "", expected: { ok: (_, events) => expect(events).toHaveLength(1) } };
  }),
  row("FinishPasskey: uses the link up", finishPasskey, async (world) => {
    const link = await givenLink(world);
    const { request } = await made(world, link);
    const next = await made(world, link);
    granted(await world.call(finishPasskey, request, ""));
    expect(await world.call(beginPasskey, link, "")).toMatchObject({ ok: false, ...refused });
    expect(await world.call(finishPasskey, request, "")).toMatchObject({ ok: false, ...refused });
    return { request: next.request, token: "", expected: refused };
  }),
  row("BeginPasskey: leaves the other link of the person", beginPasskey, async (world) => {
    const link = await givenLink(world);
    const other = await another(world, link);
    const { request, credentialId } = await made(world, link);
    granted(await world.call(finishPasskey, request, ""));
    return {
      request: other,
      token: "",
      expected: {
        ok: ({ options }) =>
          // A device that has this one already does not make another.
          expect(options?.excludeCredentials).toEqual([{ id: credentialId, type: "public-key" }]),
      },
    };
  }),
  row("FinishPasskey: refuses a passkey of another person", finishPasskey, async (world) => {
    const credentialId = randomBytes(16);
    const first = await made(world, await givenLink(world), { credentialId });
    granted(await world.call(finishPasskey, first.request, ""));
    const link = await givenLink({ ...world, unique: `${world.unique} 2` });
    const second = await made(world, link, { credentialId });
    const answer = await world.call(finishPasskey, second.request, "");
    expect(answer).toMatchObject({ ok: false, ...taken });
    granted(await world.call(beginPasskey, link, ""));
    return { request: second.request, token: "", expected: taken };
  }),
  row("FinishPasskey: refuses a passkey that the person has", finishPasskey, async (world) => {
    const credentialId = randomBytes(16);
    const link = await givenLink(world);
    const other = await another(world, link);
    const first = await made(world, link, { credentialId });
    granted(await world.call(finishPasskey, first.request, ""));
    const { request } = await made(world, other, { credentialId });
    return { request, token: "", expected: taken };
  }),
  row(
    "FinishPasskey: gives one passkey to many who want it at once",
    finishPasskey,
    async (world) => {
      const link = await givenLink(world);
      const requests = await Promise.all([1, 2, 3, 4].map(() => made(world, link)));
      const answers = await Promise.all(
        requests.map(({ request }) => world.call(finishPasskey, request, "")),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      const [first] = answers.filter(({ ok }) => !ok);
      expect(first).toMatchObject(refused);
      return { request: requests[0]!.request, token: "", expected: refused };
    },
  ),
  row(
    "FinishPasskey: takes a person's passkey who has an account already",
    finishPasskey,
    async (world) => {
      const email = { email: "ada@example.com", isEmailVerified: true };
      const link = await givenLink(world, { email, password: "long enough" });
      const { request } = await made(world, link);
      return {
        request,
        token: "",
        expected: {
          ok: (_, events) =>
            expect(events.map(({ type }) => type)).toEqual([
              ...["user.human.passwordless.token.added", "user.human.notice.added"],
            ]),
        },
      };
    },
  ),
  row("BeginPasskey: refuses the code of the account", beginPasskey, async (world) => {
    const { userId } = await imported(world);
    return { request: { userId, codeId: userId, code: "ABCDEF" }, token: "", expected: refused };
  }),

  broken("no credential", { credential: undefined }, "registration"),
  broken(
    "one given twice",
    { registration: { id: "a", clientDataJson: "a", attestationObject: "a" } },
    "registration",
  ),
  broken("a name of two lines", { name: "a\nb" }, "name"),
  row(
    "FinishPasskey: refuses more than 16 KiB",
    finishPasskey,
    async (world) => {
      const link = await givenLink(world);
      const { request, credential } = await made(world, link);
      return {
        request: { ...request, credential: { ...credential, more: "x".repeat(16 * 1024) } },
        token: "",
        expected: { code: 8, reason: "BODY_TOO_LARGE" },
      };
    },
    notPlain,
  ),
]);
