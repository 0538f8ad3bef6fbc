import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { shortened } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "../port/certificate.ts";
import { caller, createFiles, type Ended, endExamples, type Files, runExample } from "./example.ts";

let server: TestServer;
let files: Files;

beforeAll(async () => {
  server = await startServer();
  files = await createFiles();
});
afterEach(endExamples);
afterAll(() => Promise.all([server.close(), files.remove()]));

const header = "userName,firstName,lastName,email";

async function importing(csv: string, options = caller(server)): Promise<Ended> {
  const file = await files.write("people.csv", csv);
  return runExample(["node", "examples/import-users.ts", file], options);
}

/** The events of the people whose user names begin so, as lines. */
async function eventsOf(prefix: string): Promise<readonly string[]> {
  const names = new Map<string, string>();
  const lines: string[] = [];
  for (const { stream, type, payload } of await server.events()) {
    if (type === "user.human.added") names.set(stream, JSON.parse(payload).userName);
    const name = names.get(stream) ?? "";
    if (name.startsWith(prefix)) lines.push(`${name} ${type}`);
  }
  return lines.sort();
}

function people(prefix: string, count: number): string {
  const lines = Array.from(
    { length: count },
    (_none, serial) => `${prefix}-${serial},P,${serial},${prefix}-${serial}@example.com`,
  );
  return [header, ...lines, ""].join("\n");
}

const bcrypt = "$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm";

describe("import-users.ts", () => {
  test("imports people as their columns say, and a second time nobody", async () => {
    const csv = [
      `\ufeff${header},emailVerified,phone,phoneVerified,preferredLanguage,passwordHash`,
      `a-known,Ada,"Lovelace, Countess",a1@example.com,true,,,de,${bcrypt}`,
      "a-new, Ada ,Lovelace,a2@example.com,,,,,",
      "a-phone,Ada,Lovelace,a3@example.com,TRUE,+41446681800,True,,",
      "",
      "a-both,Ada,Lovelace,a4@example.com,false,+41446681801,FALSE,,",
      "",
    ].join("\r\n");
    expect(await importing(csv)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^4 imported, 0 skipped, 0 refused, \d+ a second\n$/),
      stderr: "",
    });
    const events = [
      "a-both user.human.added",
      "a-both user.human.initialization.code.added",
      "a-both user.human.phone.code.added",
      "a-known user.human.added",
      "a-known user.human.email.verified",
      "a-new user.human.added",
      "a-new user.human.initialization.code.added",
      "a-phone user.human.added",
      "a-phone user.human.email.verified",
      "a-phone user.human.initialization.code.added",
      "a-phone user.human.phone.verified",
    ];
    expect(await eventsOf("a-")).toEqual(events);
    const added = (await server.events()).filter(({ type }) => type === "user.human.added");
    expect(JSON.parse(added.find(({ payload }) => payload.includes("a-known"))!.payload)).toEqual(
      expect.objectContaining({ lastName: "Lovelace, Countess", preferredLanguage: "de" }),
    );

    expect(await importing(csv)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^0 imported, 4 skipped, 0 refused,/),
      stderr: "",
    });
    expect(await eventsOf("a-")).toEqual(events);
  });

  inFull("tells every mistake with its line, and takes the mended file", async () => {
    const csv = (lines: readonly string[]) => [`${header},emailVerified`, ...lines, ""].join("\n");
    const right = ["b-1,B,One,b1@example.com,true", "b-8,B,Eight,b8@example.com,"];
    const wrong = [
      "b-2,B,Two,no address,",
      "b-3,B,Three,b3@example.com,yes",
      "b-4,B,Four",
      "B-1,B,Again,b5@example.com,",
      ",,Nobody,b6@example.com,",
      'b-7,"B"x,Seven,b7@example.com,"',
    ];
    const [first = "", last = ""] = right;
    const ended = await importing(csv([first, ...wrong.slice(0, 5), last, ...wrong.slice(5)]));
    expect(ended).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^2 imported, 0 skipped, [67] refused,/),
    });
    const lines = ended.stderr.trim().split("\n").sort();
    expect(lines.slice(0, 5)).toEqual([
      expect.stringMatching(/^line 3: INVALID_FIELDS: email\.email: /),
      "line 4: emailVerified must be true or false",
      expect.stringMatching(/^line 5: Invalid Record Length: columns length is 5, got 3/),
      "line 6: line 2 has this user name, too",
      expect.stringMatching(/^line 7: INVALID_FIELDS: .*user_name: .*; profile\.first_name: /),
    ]);
    expect(lines.slice(5)).toContainEqual(expect.stringMatching(/^line 9: Invalid Closing Quote/));
    expect(await eventsOf("b-")).toEqual([
      "b-1 user.human.added",
      "b-1 user.human.email.verified",
      "b-1 user.human.initialization.code.added",
      "b-8 user.human.added",
      "b-8 user.human.initialization.code.added",
    ]);

    const mended = await importing(csv([...right, "b-2,B,Two,b2@example.com,"]));
    expect(mended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 imported, 2 skipped, 0 refused,/),
      stderr: "",
    });
  });

  describe("tries nobody, and says why,", () => {
    const token = { IAM_TOKEN: "some" };
    const obstacles = shortened([
      ["with a column missing", "userName,email", token, /must name .*; it names userName, email$/],
      ["without a file", undefined, token, /^usage: /],
      ["without a token", header, {}, /^usage: /],
      ["of a file that is empty", "", token, /: the file is empty: its first line names the/],
      ["with an unknown column", `${header},emailverified`, token, /names .*, emailverified$/],
      ["with a column twice", `${header},email`, token, /, each once; it names .*, email, email$/],
    ] as const);
    let ended: readonly Ended[];

    beforeAll(async () => {
      // Side by side, since what takes time is to load the program.
      const runs = obstacles.map(async ([name, csv, env]) => {
        const args = csv === undefined ? [] : [await files.write(`${name}.csv`, csv)];
        return runExample(["node", "examples/import-users.ts", ...args], { env });
      });
      ended = await Promise.all(runs);
    });

    test.each(obstacles.map(([name, , , says], index) => ({ name, says, index })))(
      "$name",
      ({ says, index }) => {
        const { code, stdout, stderr } = ended[index]!;
        expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
        expect(stderr.trimEnd()).toMatch(says);
      },
    );

    inFull("of a file that is not there", async () => {
      const command = ["node", "examples/import-users.ts", "none.csv"] as const;
      expect(await runExample(command, { env: token })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^none\.csv: ENOENT: [^\n]+\n$/),
      });
    });
  });

  inFull("stops at the first refusal that would meet all", async () => {
    const { token } = await givenUser(server, server.admin.organization);
    const file = await files.write("refused.csv", people("c", 200));
    const run = (as: string) =>
      runExample(["node", "examples/import-users.ts", file], caller(server, as));
    const ended = await Promise.all([run("nobody"), run(token)]);
    expect(ended).toEqual(
      ["UNAUTHENTICATED", "PERMISSION_DENIED"].map((reason) => ({
        code: 1,
        stdout: expect.stringMatching(/^0 imported, 0 skipped, 0 refused,/),
        stderr: expect.stringMatching(new RegExp(`^stopped at ${reason}: .+\n$`)),
      })),
    );
    expect(await eventsOf("c-")).toEqual([]);
  });

  test("imports everybody, even if the first connection breaks", async () => {
    const sockets = new Set<Socket>();
    let connections = 0;
    const proxy = createServer((socket) => {
      connections += 1;
      const onward = connect(server.port, "127.0.0.1");
      for (const one of [socket, onward]) sockets.add(one.on("error", () => {}));
      socket.pipe(onward);
      // The first one hears nothing but the beginning of what the service says.
      if (connections === 1) onward.once("data", () => socket.destroy());
      else onward.pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const ended = await importing(people("d", 300), caller({ ...server, url }));
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await once(proxy, "close");
    expect(connections).toBeGreaterThan(1);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(" 0 refused,") });
    const added = (await eventsOf("d-")).filter((line) => line.endsWith(" user.human.added"));
    expect(added).toHaveLength(300);
  });

  inFull("reaches a service with TLS", async () => {
    const certificate = createCertificate("examples");
    const secure = await startServer({ certificate });
    const { env } = caller(secure);
    const ca = await files.write("ca.pem", certificate.cert);
    const ended = await importing(people("e", 3), { env: { ...env, NODE_EXTRA_CA_CERTS: ca } });
    await secure.close();
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 imported,/) });
  });
});
