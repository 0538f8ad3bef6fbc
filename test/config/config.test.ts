import { availableParallelism } from "node:os";
import { describe, expect, test } from "@jest/globals";
import { type Config, ConfigError, flagOf, readConfig } from "../../src/config/config.ts";
import { hostsMax } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import { parseAllowList } from "../../src/fetch/allow.ts";
import { limitRows, type Row } from "./limit-rows.ts";

type Key = keyof typeof settings;

const hostsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => `h${at}.example`).join();

function parsed(text: string): Config["fetchAllow"] {
  const list = parseAllowList(text);
  return "allow" in list ? list.allow : [];
}

const rows: readonly Row[] = [
  {
    key: "host",
    text: "0.0.0.0",
    value: "0.0.0.0",
    good: ["::", "::1", "localhost", "iam-1.internal.example", "a"],
    bad: ["", " ", "http://localhost", "a b", "-a", "[::1]", "a:80"],
  },
  {
    key: "port",
    text: "9090",
    value: 9090,
    good: ["0", "1", "65535", "08080"],
    bad: ["", "-1", "65536", "1.5", "80a", "0x50", "1e3", " 80", "99999999999999999999"],
  },
  { key: "metricsAddress", text: "::1", value: "::1", good: ["a.example"], bad: ["", "a:80"] },
  { key: "metricsPort", text: "9464", value: 9464, good: ["", "0", "65535"], bad: ["-1", "65536"] },
  {
    key: "processes",
    text: "2",
    value: 2,
    good: ["1", "64", "auto"],
    bad: ["", "0", "65", "-1", "1.5", "all"],
  },
  { key: "dataDir", text: "/srv/iam data", value: "/srv/iam data", good: [".", "-"], bad: [""] },
  { key: "alias", text: "zitadel", value: "zitadel", good: [""], bad: ["iam", "ZITADEL", " "] },
  {
    key: "corsOrigins",
    text: "https://a.example, http://localhost:3000 ,",
    value: ["https://a.example", "http://localhost:3000"],
    good: ["", ",", "https://a.example"],
    bad: [
      ...["a.example", "https://a.example/", "https://a.example/b", "*", "null"],
      "https://A.example",
    ],
  },
  {
    key: "publicUrl",
    text: "https://id.example.com/iam/",
    value: "https://id.example.com/iam",
    good: ["", "http://localhost:8080"],
    bad: ["id.example.com", "ftp://id.example.com", "https://a.example?b", "https://a.example#b"],
  },
  { key: "retainLogins", text: "90", value: 90, good: ["", "1", "36500"], bad: ["0", "36501"] },
  { key: "actionsTokens", text: "true", value: true, good: ["false"], bad: ["", "yes", "1"] },
  { key: "eventNetworks", text: "false", value: false, good: ["true"], bad: ["", "no", "0"] },
  {
    key: "actionsHttp",
    text: "api.example.com, [2001:db8::1]:8443,api.example.com",
    value: ["api.example.com", "[2001:db8::1]:8443"],
    good: ["", "a.example:8443", hostsOf(hostsMax)],
    bad: [
      ...["*.example.com", "https://a.example", "A.example", "a.example:443", "a.example/path"],
      ...["user@a.example", "a b", "a.example?", "a.example#", "a;b", hostsOf(hostsMax + 1)],
    ],
  },
  { key: "fetchHttp", text: "true", value: true, good: ["false"], bad: ["", "yes", "TRUE", "1"] },
  { key: "cleartext", text: "true", value: true, good: ["false"], bad: ["", "yes", "TRUE", "1"] },
  {
    key: "fetchAllow",
    text: "10.1.0.0/16:8443",
    value: parsed("10.1.0.0/16:8443"),
    good: ["", "10.0.0.0/8", "[fd00::/8]:443, 192.168.1.1:8443"],
    bad: ["10.0.0.1/8", "example.com", "10.0.0.0/33"],
  },
  {
    key: "trustedProxies",
    text: "fd00::/8",
    value: [["fd00::", 8]],
    good: ["", "192.0.2.1", "fd00::/8,10.0.0.1"],
    bad: ["10.0.0.0/33", "example.com", "10.0.0.1:80"],
  },
  {
    key: "smtpFrom",
    text: "IAM <iam@example.com>",
    value: { name: "IAM", address: "iam@example.com" },
    good: ["iam@localhost"],
    bad: ["", "iam", "a@b.example, c@d.example"],
  },
  {
    key: "logLevel",
    text: "warn",
    value: "warn",
    good: ["fatal", "error", "info", "debug", "trace", "silent"],
    bad: ["", "INFO", "verbose", "constructor"],
  },
  ...limitRows,
];

/** Those that only go together, and those whose values are secret, have cases of their own. */
const urls: readonly Key[] = ["smsUrl", "anchorUrl", "databaseUrl"];
const apart: readonly Key[] = ["tlsCert", "tlsKey", "smsKey", "smtp", "masterKeys", ...urls];

test("every setting has its row here", () => {
  expect([...rows.map(({ key }) => key), ...apart].sort()).toEqual(Object.keys(settings).sort());
});

test("as many processes as there are cores is one for each that this process may use", () => {
  const { processes } = readConfig(["--processes=auto"], {});
  expect(processes).toBe(Math.min(availableParallelism(), 64));
});

test("every name and flag is one setting's", () => {
  const names = Object.values(settings).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(names.map(flagOf)).size).toBe(names.length);
});

describe.each(rows)("$key", ({ key, text, value, good, bad }) => {
  const { name } = settings[key];
  const flag = flagOf(name);

  test("is read from its flag, its flag with =, and the environment", () => {
    expect(readConfig([flag, text], {})[key]).toEqual(value);
    expect(readConfig([`${flag}=${text}`], {})[key]).toEqual(value);
    expect(readConfig([], { [name]: text })[key]).toEqual(value);
  });

  test("has a default that it accepts", () => {
    const unset = readConfig([], {});
    expect(readConfig([], { [name]: settings[key].default })).toEqual(unset);
    expect(unset[key]).not.toEqual(value);
  });

  test("is taken from the flag before the environment, and from the last flag", () => {
    const environment = { [name]: bad[0] ?? "" };
    expect(readConfig([flag, text], environment)[key]).toEqual(value);
    expect(readConfig([flag, settings[key].default, flag, text], {})[key]).toEqual(value);
  });

  test.each(good)("accepts %j", (accepted) => {
    expect(() => readConfig([`${flag}=${accepted}`], {})).not.toThrow();
  });

  test.each(bad)("refuses %j in one sentence that names setting and flag", (refused) => {
    const message = messageOf([], { [name]: refused });
    const says = '( must be .+: ".*"|: ".+" (must|has) .+\\.)';
    expect(message).toMatch(new RegExp(`^${name} \\(${flag}\\)${says}$`));
    expect(messageOf([`${flag}=${refused}`], {})).toBe(message);
  });
});

describe("the certificate and its key", () => {
  const [cert, key] = ["/etc/iam/cert.pem", "/etc/iam/key.pem"];

  test("are read together", () => {
    const config = { tlsCert: cert, tlsKey: key };
    expect(readConfig(["--tls-cert", cert, `--tls-key=${key}`], {})).toMatchObject(config);
    expect(readConfig([], { IAM_TLS_CERT: cert, IAM_TLS_KEY: key })).toMatchObject(config);
    expect(readConfig(["--tls-key", key], { IAM_TLS_CERT: cert })).toMatchObject(config);
  });

  test("are off by default", () => {
    expect(readConfig([], {})).toMatchObject({ tlsCert: "", tlsKey: "" });
  });

  test.each([
    {
      given: { IAM_TLS_CERT: cert },
      problem: "IAM_TLS_KEY (--tls-key) must be given together with IAM_TLS_CERT (--tls-cert)",
    },
    {
      given: { IAM_TLS_KEY: key },
      problem: "IAM_TLS_CERT (--tls-cert) must be given together with IAM_TLS_KEY (--tls-key)",
    },
  ])("are refused one without the other: $problem", ({ given, problem }) => {
    expect(messageOf([], given)).toBe(problem);
  });
});

test("all that is wrong is said at once, one line each", () => {
  const message = messageOf(["--port", "x", "--nope=1", "-v", "extra", "--tls-cert=c"], {
    IAM_LOG_LEVEL: "loud",
    IAM_UNKNOWN: "is not ours to judge",
  });
  expect(message.split("\n")).toEqual([
    "unknown flag --nope: see --help",
    "unknown flag -v: see --help",
    expect.stringMatching(/^IAM_PORT /),
    expect.stringMatching(/^IAM_LOG_LEVEL /),
    expect.stringMatching(/^IAM_TLS_KEY /),
  ]);
});

test.each([
  [["--prot", "18200"], "unknown flag --prot (did you mean --port?): see --help"],
  [["--database=x"], "unknown flag --database (did you mean --database-url?): see --help"],
  [
    ["--nope", "--prot", "1"],
    "unknown flag --nope: see --help\nunknown flag --prot (did you mean --port?): see --help",
  ],
])("an unknown flag is told with the one that it is like, once: %j", (flags, message) => {
  expect(messageOf(flags, {})).toBe(message);
});

test.each([
  [
    "IAM_TRUSTED_PROXIES",
    "proxy.local",
    'IAM_TRUSTED_PROXIES (--trusted-proxies): "proxy.local" must be an address or a network like ' +
      "10.0.0.0/8 or fd00::/8.",
  ],
  [
    "IAM_FETCH_ALLOW",
    "10.0.0.1/8",
    'IAM_FETCH_ALLOW (--fetch-allow): "10.0.0.1/8" has bits beyond /8: use the first address of ' +
      "the network.",
  ],
])("what is wrong with a part of %s is said of that part, once", (name, text, message) => {
  expect(messageOf([], { [name]: text })).toBe(message);
});

test.each([["--port"], ["--port=1", "--host"]])(
  "a flag without a value is refused: %j",
  (...flags) => {
    expect(messageOf(flags, {})).toBe(`${flags.at(-1)} needs a value`);
  },
);

test("a value may begin with dashes and contain =", () => {
  expect(readConfig(["--data-dir", "--port"], {}).dataDir).toBe("--port");
  expect(readConfig(["--data-dir=a=b"], {}).dataDir).toBe("a=b");
});

function messageOf(
  flags: readonly string[],
  environment: { readonly [name: string]: string },
): string {
  try {
    readConfig(flags, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("the configuration was accepted");
}

describe("settings whose values are secret", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  const secret = "planted-secret";

  test("are read", () => {
    const config = readConfig([], {
      IAM_MASTER_KEY: `new:${key}`,
      IAM_SMTP_URL: `smtps://user:${secret}@mail.example.com`,
      IAM_SMS_URL: "https://sms.example.com/send",
      IAM_SMS_KEY: "k".repeat(32),
    });
    expect(config.masterKeys?.map(({ id }) => id)).toEqual(["new"]);
    expect(config.smtp).toMatchObject({ host: "mail.example.com", port: 465, isSecure: true });
    expect(config).toMatchObject({ smsUrl: "https://sms.example.com/send" });
    expect(readConfig([], {})).toMatchObject({ smsUrl: "", smsKey: "" });
  });

  test.each([
    ["IAM_MASTER_KEY", `new:${secret}`],
    ["IAM_SMTP_URL", `smtp://user:${secret}@mail.example.com/path`],
    ["IAM_SMS_URL", `ftp://user:${secret}@sms.example.com`],
    ["IAM_SMS_KEY", secret],
  ])("%s is not repeated where it is wrong", (name, text) => {
    expect(() => readConfig([], { [name]: text })).toThrow(name);
    expect(() => readConfig([], { [name]: text })).not.toThrow(secret);
  });

  test.each([
    [`smtp://u:${secret}@h`, "argument 2 is not a flag: see --help"],
    [
      `--smtp-uri=smtp://u:${secret}@h`,
      "unknown flag --smtp-uri (did you mean --smtp-url?): see --help",
    ],
    [`--smtp-url:smtp://u:${secret}@h`, "argument 2 is not a flag: see --help"],
    [`-=${secret}`, "argument 2 is not a flag: see --help"],
    [`--${secret} x`, "argument 2 is not a flag: see --help"],
  ])("are not repeated where they stand in the wrong place: %s", (argument, problem) => {
    expect(messageOf(["--port=1", argument], {})).toBe(problem);
  });

  test("the webhook and its key go together", () => {
    const problem = /IAM_SMS_KEY .* must be given together with IAM_SMS_URL/;
    expect(() => readConfig([], { IAM_SMS_URL: "https://sms.example.com" })).toThrow(problem);
  });
});
