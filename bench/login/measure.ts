import { type Answer, caller } from "../caller.ts";
import type { Child } from "../child.ts";
import type { LoadAnswers } from "../load.ts";
import {
  type Case,
  type CpuTold,
  callsMax,
  measureCalls,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Sample,
  serviceCase,
} from "../rates.ts";
import { rateTable, verdict } from "../report.ts";
import { formRequest, type Target } from "../requests.ts";
import type { Figures, Spread } from "../results.ts";
import type { ServerAnswers } from "../server.ts";
import type { Pace } from "../sizes.ts";
import { brief, spreadText, table } from "../table.ts";
import type { Template } from "../template.ts";
import type { ElsewhereAnswers } from "./elsewhere.ts";
import type { Flow, FlowAnswers } from "./flows.ts";
import type { LibraryAnswers } from "./library.ts";
import {
  basicOf,
  callback,
  hashPassword,
  inFlight,
  type Parties,
  paths,
  people,
} from "./parties.ts";

/** The processes that take part. */
interface LoginProcesses {
  readonly server: Child<ServerAnswers>;
  readonly library: Child<LibraryAnswers>;
  readonly load: Child<LoadAnswers>;
  readonly flows: Child<FlowAnswers>;
  readonly elsewhere: Child<ElsewhereAnswers>;
}

/** What is asked in one request. */
const questions = ["introspection, opaque", "introspection, JWT", "userinfo"] as const;
const flowNames: readonly Flow[] = ["refresh", "password login", "code flow"];
/** What only the service does. */
const byProvider = "login by a provider" satisfies Flow;

/** All that is measured; the library knows no JWT to introspect, and no other provider. */
export const loginKinds = [...questions, "client credentials", ...flowNames, byProvider] as const;
export type LoginKind = (typeof loginKinds)[number];

/** The names of the ratios: to the library by itself, and of introspection to the no-op. */
export const loginRatios = {
  library: (kind: LoginKind) => `${kind} / oidc-provider in memory`,
  noop: (kind: LoginKind) => `${kind} / no-op`,
  provider: `${byProvider} / password login`,
} as const;

const introspections = ["introspection, opaque", "introspection, JWT"] as const;
const noopRatioMin = 0.5;

/** Has tokens asked about, and people logged in, here and by the library alone, in turn. */
export async function measureLogin(
  { server, library, load, flows, elsewhere }: LoginProcesses,
  pace: Pace,
  say: (text: string) => void,
): Promise<Rates> {
  const target = await server.ask("target");
  const provider = await prepareProvider(target, elsewhere);
  const { parties: ours } = await preparePeople(target, {}, provider);
  const theirs = await library.ask("parties");
  const own = casesOf({ server, load, flows }, ours, "iam");
  const other = casesOf({ server: library, load, flows }, theirs, "oidc-provider in memory");
  const calls = { protocol: "connect", operation: "noop", inFlight } as const;
  const noop = serviceCase({ server, load, target }, calls);
  const cases = [noop, ...own.values(), ...other.values()];
  const samples = await measureCases(cases, pace, say);
  const rateRatio = (one: Case | undefined, by: Case | undefined, name: string) =>
    one && by ? [[name, ratioOf(samples, [one, by], ({ rate }) => rate)] as const] : [];
  const ratios: (readonly [string, Spread])[] = [
    ...loginKinds.flatMap((kind) =>
      rateRatio(own.get(kind), other.get(kind), loginRatios.library(kind)),
    ),
    ...introspections.flatMap((kind) => rateRatio(own.get(kind), noop, loginRatios.noop(kind))),
    ...rateRatio(own.get(byProvider), own.get("password login"), loginRatios.provider),
  ];
  return { rows: rowsOf(cases, samples), ratios: Object.fromEntries(ratios) };
}

/** A server to which people log in, and who does so. */
export interface Side {
  readonly server: CpuTold;
  readonly load: Child<LoadAnswers>;
  readonly flows: Child<FlowAnswers>;
}

/** What is measured on a side, by kinds. */
export function casesOf({ server, load, flows }: Side, parties: Parties, side: string) {
  const { introspection, userinfo, token } = paths;
  const [api, machine] = [basicOf(parties.api), basicOf(parties.machine)];
  // A token for each measurement: JWTs are valid for minutes, and the library keeps the last 1,000.
  const tokenOf = async (kind: "app" | "jwtApp") => {
    return (await flows.ask("tokens", { ...parties, kind })).access_token;
  };
  const request = (kind: LoginKind, templateOf: () => Promise<Template>) => {
    const measure: Case["measure"] = async (pace) => {
      const run = { port: parties.port, template: await templateOf(), inFlight, callsMax };
      return await measureCalls({ server, load }, { ...run, ...pace });
    };
    return [kind, { name: `${kind}, ${side}`, inFlight, measure }] as const;
  };
  const flow = (kind: Flow) => {
    const measure: Case["measure"] = async (pace) => {
      try {
        await flows.ask("open", { parties, flow: kind });
        return await withCpu(server, () => flows.ask("run", pace));
      } finally {
        await flows.ask("close");
      }
    };
    return [kind, { name: `${kind}, ${side}`, inFlight, measure }] as const;
  };
  const introspecting = async (kind: "app" | "jwtApp") =>
    formRequest(introspection, { authorization: api }, { token: await tokenOf(kind) });
  const jwt = request("introspection, JWT", () => introspecting("jwtApp"));
  return new Map<LoginKind, Case>([
    request("introspection, opaque", () => introspecting("app")),
    ...(parties.jwtApp === undefined ? [] : [jwt]),
    request("userinfo", async () =>
      formRequest(userinfo, { authorization: `Bearer ${await tokenOf("app")}` }, {}),
    ),
    request("client credentials", async () =>
      formRequest(token, { authorization: machine }, { grant_type: "client_credentials" }),
    ),
    ...flowNames.map(flow),
    ...(parties.elsewhere === undefined ? [] : [flow(byProvider)]),
  ]);
}

type Measured = Awaited<ReturnType<FlowAnswers["run"]>>;

/** Measures logins, with the CPU time that the server takes for them. */
export async function withCpu(
  server: Side["server"],
  measure: () => Promise<Measured>,
): Promise<Sample> {
  const before = await server.ask("cpuMicros");
  const started = performance.now();
  const measured = await measure();
  const used = (await server.ask("cpuMicros")) - before;
  const serverCpu = used / 1_000 / (performance.now() - started);
  return { ...measured, serverCpu, cpuMicros: used / measured.callsInAll };
}

/** Has the service and the provider elsewhere know one another. */
async function prepareProvider(
  target: Target,
  elsewhere: Child<ElsewhereAnswers>,
): Promise<Parties["elsewhere"]> {
  const { port, issuer, client } = await elsewhere.ask("place");
  const { id: idpId = "" } = await caller(target)("POST", "/idps/generic_oidc", {
    ...{ name: "Elsewhere", issuer, clientId: client.id, clientSecret: client.secret },
    ...{ usePkce: true, scopes: ["openid", "profile", "email"] },
    providerOptions: { isLinkingAllowed: true },
  });
  const redirectUri = `http://127.0.0.1:${target.port}/idps/${idpId}/callback`;
  await elsewhere.ask("serve", { redirectUri });
  return { port, idpId };
}

/** Makes the applications, with further settings, the machine and the people at the service. */
export async function preparePeople(
  target: Target,
  settings: object,
  elsewhere?: Parties["elsewhere"],
): Promise<{ readonly parties: Parties; readonly users: readonly string[] }> {
  const { port, project } = target;
  const call = caller(target);
  const proofOf = ({ clientId = "", clientSecret = "" }: Answer) => ({
    ...{ id: clientId, secret: clientSecret },
  });
  const app = async (name: string, more: object) =>
    proofOf(
      await call("POST", `/projects/${project}/apps/oidc`, {
        ...{ name, redirectUris: [callback], authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" },
        responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
        grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
        ...{ ...settings, ...more },
      }),
    );
  const api = { name: "API", authMethodType: "API_AUTH_METHOD_TYPE_BASIC" };
  const robot = await call("POST", "/users/machine", { userName: "robot", name: "Robot" });
  const value = await hashPassword();
  const linksOf = (externalUserId: string) =>
    elsewhere ? [{ configId: elsewhere.idpId, externalUserId, displayName: externalUserId }] : [];
  const imported = await Promise.all(
    people.map((userName) =>
      call("POST", "/users/human/_import", {
        ...{ userName, hashedPassword: { value }, idps: linksOf(userName) },
        profile: { firstName: "Ada", lastName: "Lovelace" },
        email: { email: "ada@example.com", isEmailVerified: true },
      }),
    ),
  );
  const parties = {
    port,
    app: await app("opaque", {}),
    jwtApp: await app("JWT", { accessTokenType: "OIDC_TOKEN_TYPE_JWT" }),
    api: proofOf(await call("POST", `/projects/${project}/apps/api`, api)),
    machine: proofOf(await call("PUT", `/users/${robot.userId}/secret`, {})),
    ...(elsewhere && { elsewhere }),
  };
  return { parties, users: imported.map(({ userId = "" }) => userId) };
}

/** What the table says of what is compared. */
const notes = [
  "oidc-provider in memory: the library by itself with its own adapter on node:http, in one process,",
  "  where nothing outlives it; here each code, token and session is on the disk when it is answered.",
  "password login: to the page, the password (Argon2id, as above), and back with a code, by a browser",
  "  that nobody knows. code flow: the same, the tokens for the code, and userinfo.",
  "login by a provider: by idp_hint to oidc-provider in a process of its own, which asks for no",
  "  password, and back with a code, by a linked person. Its work is on the same machine and slows",
  "  the rate; the CPU time is that of the service alone.",
  "No counterpart there: JWTs that are introspected, and logins by a provider.",
] as const;

/** How fast logins are, for people. */
export function showLogin({ rows = [], ratios = {} }: Figures): string {
  const compared = loginKinds.filter((kind) => kind !== byProvider);
  const cells = compared.map((kind) => {
    const found = [loginRatios.library(kind), loginRatios.noop(kind)].map((name) => ratios[name]);
    return [
      kind,
      ...found.flatMap((one) => (one ? [brief(one.median), spreadText(one)] : ["", ""])),
    ];
  });
  const head = ["", "/ oidc-provider in memory", "", "/ no-op", ""];
  const ratioTable = `Ratios of rates, each taken within a repetition\n\n${table(head, cells)}`;
  const found = introspections.map((kind) => ratios[loginRatios.noop(kind)]?.median ?? Number.NaN);
  const kept = verdict(
    `introspection at least ${noopRatioMin} × the no-op by Connect`,
    found.map(brief).join(" and "),
    Math.min(...found) >= noopRatioMin,
  );
  const byRate = ratios[loginRatios.provider];
  const elsewhere = byRate
    ? `${loginRatios.provider}: ${brief(byRate.median)} ${spreadText(byRate).trim()}`
    : "";
  return [rateTable(rows), ratioTable, elsewhere, notes.join("\n"), kept].join("\n\n");
}
