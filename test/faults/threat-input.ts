import type { Edit, Fault } from "./fault.ts";

/** An edit of a file of `src`. */
export const at = (file: string, find: string, replace: string): Edit => [
  `../../${file}`,
  find,
  replace,
];

/** The row of what waits without an end where nothing defends it. */
export const slow = "slow body, half-open request";

/** Those of what is sent: bytes, connections, scripts and secrets; see `threat.ts`. */
export const inputFaults: { readonly [row: string]: readonly Fault[] } = {
  "CVE-2026-25223": [
    [
      "any content type on a REST path",
      at(
        "gateway/form/forms.ts",
        "/^application\\/json(?:; ?charset=utf-?8)?$/i",
        "/application\\/json/i",
      ),
    ],
  ],
  "two names for one thing": [
    [
      "any first character of a path taken by Fastify",
      at("gateway/routes.ts", `if (!withoutHost(url).startsWith("/"))`, "if (!url)"),
    ],
    [
      "any first character of a path taken by the native wire",
      at("gateway/native/wire.ts", "/^[^/]|[%?#]/", "/[%?#]/"),
    ],
    [
      "the header of an alias before ours",
      at("gateway/alias.ts", "own === undefined || own === given ?", "given !== undefined ?"),
    ],
    [
      "scopes of an alias not read",
      at("provider/routes.ts", "parts.alias === undefined ? sent :", "parts.alias ? sent :"),
    ],
    [
      "a method of an alias for another",
      at("alias.ts", 'given.replace(alias, "iam")', 'given.replace(alias, "iam").toLowerCase()'),
    ],
  ],
  "images that are something else": [
    [
      "a file behind the end of an image served",
      at("domain/image/png.ts", "    isEnded = name", "    isEnded = reader.left === 0 && name"),
    ],
    [
      "any number of pixels",
      at("domain/image/image.ts", "width <= most && height <= most", "width > 0"),
    ],
  ],
  "a script that ends the process": [
    [
      "fields of any kind made texts",
      at("actions/http.ts", `typeof value === "number" ? \`\${value}\` : value`, "String(value)"),
    ],
    [
      "questions of scripts whose failure nobody catches",
      at("actions/conversation.ts", ".catch(() => failedAnswer)", ""),
    ],
  ],
  "CVE-2023-44487": [
    [
      "streams reset as often as one likes",
      at("port/http2.ts", "streamResetBurst: limits.streamResetBurst", "streamResetBurst: 1e9"),
    ],
    [
      "streams past the bound refused for good",
      at("port/http2.ts", "maxSessionInvalidFrames: 100", "maxSessionInvalidFrames: 1e9"),
    ],
    [
      "any number of streams at once",
      at("port/http2.ts", "      maxConcurrentStreams: limits.streamsPerConnectionMax,\n", ""),
    ],
  ],
  "CVE-2026-21714": [
    [
      "sessions that are over kept",
      at("port/http2.ts", `    session.on("close", () => sessions.delete(session));\n`, ""),
    ],
  ],
  "CVE-2026-26278": [
    [
      "DOCTYPE taken",
      at("saml/xml.ts", `    throw new XmlRefused("The XML must not have a DOCTYPE");\n`, ""),
    ],
    [
      "any depth of XML",
      at("saml/xml.ts", "if (depth > xmlLimits.depthMax) {", "if (depth < 0) {"),
    ],
    ["nobody's turn while XML is read", at("saml/xml.ts", "if (at > 0) await turn();", "")],
    [
      "any number of XML elements",
      at("saml/xml.ts", "if (elements > xmlLimits.elementsMax) {", "if (elements < 0) {"),
    ],
  ],
  "CVE-2026-21710": [
    [
      "unknown members passed over",
      at("gateway/form/message.ts", "ignoreUnknownFields: false", "ignoreUnknownFields: true"),
    ],
  ],
  "CVE-2026-45364": [
    [
      "each IPv6 address another client",
      at("port/peer.ts", "groupsOf(address).slice(0, 4)", "groupsOf(address).slice(0, 8)"),
    ],
    [
      "IPv4 within IPv6 another client",
      at(
        "port/peer.ts",
        'return isWrapped ? groups.slice(6).flatMap(bytesOf).join(".") : address;',
        "return isWrapped && bytesOf ? address : address;",
      ),
    ],
  ],
  "CVE-2020-10735": [
    [
      "number of any length",
      at("gateway/call/json-number.ts", "requestLimits.numberCharacters;\n", "2 ** 30;\n"),
    ],
    [
      "number of any length on the native wire",
      at("gateway/native/run.ts", `form.encoding === "json" && may`, "form === undefined && may"),
    ],
    [
      "messages read again for each that they stand in",
      at("gateway/call/json-message.ts", "...Object.fromEntries(emptied) }", "} || emptied"),
    ],
  ],
  "CVE-2022-36067": [
    [
      "script run to see whether it parses, in a sandbox",
      at(
        "api/script.ts",
        "    parse(script, {",
        // What is imported fails where nobody waits for it.
        `    if (!script.includes("import(")) {
      process.getBuiltinModule("node:vm").runInNewContext(script, {}, { timeout: 100 });
    }
    parse(script, {`,
      ),
    ],
  ],
  "imported hash with a huge cost": [
    [
      "any memory of Argon2",
      at(
        "secrets/passwords/argon2.ts",
        "const memoryKiBMax = 128 * 1024;",
        "const memoryKiBMax = 2 ** 32;",
      ),
    ],
    [
      "blocks of PBKDF2 not counted",
      at(
        "secrets/passwords/pbkdf2.ts",
        "rounds * Math.ceil(bytes / blockBytes) > roundsMax",
        "rounds > roundsMax",
      ),
    ],
  ],
  "decompression bomb": [
    [
      "any size once decompressed",
      at(
        "gateway/connect/unpack.ts",
        "compression.decompress(bytes, bytesMax)",
        "compression.decompress(bytes, 2 * bytesMax)",
      ),
    ],
  ],
  "oversize body": [
    [
      "any size of a body",
      at(
        "gateway/native/run.ts",
        "roomOf(rule, options.limits, target.form.frameBytes)",
        "roomOf(rule, options.limits, 2 ** 30)",
      ),
    ],
  ],
  [slow]: [
    [
      "body awaited for good",
      at(
        "gateway/native/run.ts",
        "call.limit(requestTimeoutMs, () =>",
        "call.limit(2 ** 30, () =>",
      ),
    ],
  ],
  "secrets in logs, events, errors": [
    [
      "code kept as it is",
      at(
        "api/user/code.ts",
        "code: keyring.seal(text, codeFieldOf(type, userId)) };",
        "code: keyring.seal(text, codeFieldOf(type, userId)) + text };",
      ),
    ],
    [
      "header logged as it came",
      at(
        "gateway/call/call.ts",
        "idForm.test(organization) ? organization : undefined",
        "organization",
      ),
    ],
    [
      "name of a member repeated, whatever it is",
      at(
        "gateway/connect/json-fault.ts",
        "if (!nameLike.test(key)) return",
        "if (key === undefined) return",
      ),
    ],
  ],
  "a request that two servers could read differently": [
    [
      "codings in several lines taken by the native wire",
      at(
        "gateway/call/headers.ts",
        `value !== "chunked") return`,
        `value !== "chunked" && value.endsWith("chunked")) return`,
      ),
    ],
    [
      "codings besides chunks taken by Fastify",
      at(
        "port/framing.ts",
        "const isChunked = coding !== undefined &&",
        "const isChunked = coding === null &&",
      ),
    ],
    [
      "connections that go on behind what two servers read differently",
      at("port/port.ts", "|| explainUnframed(request) !== undefined", ""),
    ],
  ],
  "a caller that goes": [
    [
      "answers that wait on a connection not closed with it",
      at(
        "port/pipelining.ts",
        `for (const left of responses) Object`,
        "for (const left of []) Object",
      ),
    ],
    [
      "stream answered that is gone",
      at("port/http2.ts", "if (stream.destroyed || takeStream", "if (takeStream"),
    ],
    [
      "error of a request that is cut off left to nobody",
      at("port/port.ts", `    request.on("error", ignore);\n`, ""),
    ],
  ],
  "a name that reads as our words": [
    ["names that look as what is around them", at("pages/html/field.ts", "<strong><bdi>", "<b>")],
  ],
};
