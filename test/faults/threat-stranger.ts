import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of what strangers and owners may have a process hold; see `threat.ts`. */
export const strangerFaults: { readonly [row: string]: readonly Fault[] } = {
  "long names of what does not exist": [
    [
      "any id of a key told to the library",
      at(
        "provider/token/machine-client.ts",
        'Object.keys(found?.state.keys ?? {}).find((id) => id === named) ?? ""',
        "String(named)",
      ),
    ],
    [
      "names of objects weigh nothing",
      at("store/objects.ts", "Buffer.byteLength(stream) + stateBytes", "stateBytes"),
    ],
    [
      "versions weigh the same whatever their names",
      at(
        "store/sqlite/versions.ts",
        "known.keep(stream, version, stream.length)",
        "known.keep(stream, version)",
      ),
    ],
  ],
  "one long stream": [
    [
      "one long stream looked through at once",
      at("store/span.ts", "const share = max(", "const share = 1_000_000n + max("),
    ],
    [
      "one long stream erased in part",
      at(
        "store/sqlite/erase.ts",
        "for (let before = version; before > 1; ) {",
        "for (let before = version; before > 1; before = 0) {",
      ),
    ],
  ],
  "many searches in one": [
    [
      "any number of searches in one request",
      at("api/user/grant-query.ts", "    left -= 1;\n", ""),
    ],
  ],
  "large stored answers": [
    ["a large answer counts as one", at("store/answer.ts", "Math.ceil(", "Math.sign(")],
    [
      "a large answer counts as one in the database",
      at("store/postgres/append-beside.ts", "/ ${answerLimits.countedBytes})", "/ 1000000)"),
    ],
  ],
  "headers that take long to read": [
    [
      "accept headers of any length",
      at("text/accept.ts", "header.slice(0, acceptLimits.characters)", "header"),
    ],
    [
      "the library reads all of an accept header",
      at("provider/routes.ts", "raw.headers.accept = readPart(accept)", "readPart(accept)"),
    ],
    [
      "any number of entries of x-forwarded-for read",
      at("port/peer.ts", "entry < forwardedEntriesMax", "entry >= 0"),
    ],
  ],
  "settings that fill the memory": [
    [
      "clients weigh the same whatever their settings",
      at(
        "provider/library/clients.ts",
        "made.keep(name, client, text.length)",
        "made.keep(name, client)",
      ),
    ],
  ],
  "runs that stay in memory": [
    [
      "thread that keeps each run until it ends",
      at("actions/thread.ts", `    worker.off("exit", giveUp);\n`, ""),
    ],
  ],
  "names that keep a request": [
    [
      "names remembered as they were sent",
      at("provider/base/memory.ts", "structuredClone(name)", "name"),
    ],
    [
      "clients made of the texts that were sent",
      at("provider/library/clients.ts", "new this(JSON.parse(text))", "new this(metadata)"),
    ],
    [
      "addresses remembered as they were sent",
      at("port/peer.ts", "structuredClone(shown)", "shown"),
    ],
  ],
  "names remembered for good": [
    [
      "the cookie of a login read by the library's reader",
      at(
        "provider/library/binding.ts",
        "cookieOf(ctx.headers.cookie, loginCookie(parts, login.uid))",
        "ctx.cookies.get(loginCookie(parts, login.uid))",
      ),
    ],
    [
      "Connect is asked about what callers write",
      at("gateway/connect/wire.ts", "withServedType(request.header)", "request.header"),
    ],
    [
      "a content type in each way of writing it",
      at(
        "gateway/form/forms.ts",
        'served.set("content-type", type)',
        'served.set("content-type", sent ?? "")',
      ),
    ],
  ],
  "half-sent forms": [
    [
      "a form counts as work from its first byte",
      at(
        "gateway/front.ts",
        `senders.join(sender(request), () => cut(failure(rejectionFor("TOO_MANY_OPEN_CALLS"))))`,
        "cut && takeOpenCall(sender(request), shares[request.url.length > 0 ? 'tokens' : 'pages'])",
      ),
    ],
    [
      "the newest goes of those that wait",
      at("port/shares.ts", "of group?.cuts ?? []", "of [...(group?.cuts ?? [])].reverse()"),
    ],
    [
      "one pot for all that is worked on",
      at(
        "gateway/front.ts",
        "takeOpenCall(sender(request), shares[kind])",
        "takeOpenCall(sender(request), shares.pages)",
      ),
    ],
    [
      "one request too many is a defect",
      at("provider/routes.ts", `  TOO_MANY_OPEN_CALLS: "temporarily_unavailable",\n`, ""),
    ],
    [
      "answers that are not taken count as work",
      at("gateway/front.ts", "        end();\n", "        request.raw.once('close', end);\n"),
    ],
    [
      "any number of /64 of one subscriber",
      at("port/peer.ts", "if (d === undefined) return [];", "if (d !== null) return [];"),
    ],
  ],
  "unread pages and images": [
    [
      "unread answers count, and not their bytes",
      at("gateway/call/unread.ts", "Math.ceil(bytes / placeBytes)", "0"),
    ],
    [
      "an image that is sent in pieces counts as nothing",
      at(
        "gateway/front.ts",
        `Number(reply.getHeader("content-length") ?? (isEmpty ? 0 : 1))`,
        "isEmpty ? 0 : 1",
      ),
    ],
    [
      "pages of the library count as nothing",
      at("provider/routes.ts", "  front.answer({ request, reply });\n", ""),
    ],
    [
      "one that nobody waits for any more keeps its places",
      at("port/shares.ts", "group.places -= places;", ""),
    ],
    [
      "a connection whose request was read is not cut",
      at("gateway/call/sender.ts", "source.socket.destroy()", "source.destroy()"),
    ],
    [
      "one that came too late keeps its places",
      at("gateway/front.ts", "source.destroyed : reply.raw.destroyed", "false : false"),
    ],
  ],
  "a caller that leaves the others no time": [
    [
      "addresses called from at any rate",
      at("gateway/call/steps.ts", "[countAddress, take", "[take"),
    ],
    ["callers at any rate", at("gateway/call/steps.ts", "enterGate, countCaller]", "enterGate]")],
    ["messages of a stream at any rate", at("gateway/call/steps.ts", "[countMessage, ", "[")],
    [
      "pages and tokens at any rate",
      at("gateway/front.ts", "pace.countAddress(sender(request))", "void request"),
    ],
    [
      "paths of nothing at any rate",
      at("gateway/routes.ts", "options.front.refusalFor(request, error)", "error"),
    ],
    [
      "any number of /64 of one site at its rate",
      at("gateway/call/pace.ts", "sites.take(site)", "sites.take(site) * 0"),
    ],
    [
      "requests of a proxy that is not named count as those of this machine",
      at(
        "port/peer.ts",
        "from !== undefined && forwardedFor === undefined ?",
        "from !== undefined ?",
      ),
    ],
    [
      "any number of callers remembered",
      at("gateway/call/pace.ts", "recent.size >= bucketsMax / 2", "recent.size < 0"),
    ],
    [
      "calls that begin again on the other wire counted twice",
      at(
        "gateway/native/hand-over.ts",
        "const sender = { ...from, pacedAs: undefined };",
        "const sender = from;",
      ),
    ],
  ],
  "strangers filling the store": [
    [
      "a place for each time that somebody comes from a provider",
      at("provider/external/arrived.ts", " ?? (await findAsk({ unit }, uid))", ""),
    ],
    [
      "a place for each token of a provider",
      at("provider/external/handles.ts", "(await findAsk({ unit }, uid))?.family ?? ", ""),
    ],
    [
      "a place for each request of a login to a provider",
      at(
        "provider/external/asks.ts",
        "  if (uses !== 1) return undefined;\n",
        `  if (uses !== 1) return undefined;
  await unit.artifacts.later({ kind: "remove", key });\n`,
      ),
    ],
    [
      "logins begun without a bound",
      at("provider/library/adapter.ts", "isFirst ? request.begun(payload)", "isFirst ? []"),
    ],
    [
      "a ring that what is refused turns",
      at(
        "provider/library/adapter.ts",
        "      if (family !== undefined) parts.ring.leave(family);\n",
        "",
      ),
    ],
    [
      "what is begun stays for its whole time",
      at(
        "provider/base/ring.ts",
        '    await artifacts.write([{ kind: "removeFamily", family }], nowMs);\n',
        "",
      ),
    ],
    [
      "a place for each time that a login is saved",
      at(
        "provider/library/adapter.ts",
        "(await artifacts.find(keyOf(id)))?.family ??",
        "undefined ??",
      ),
    ],
    [
      "a login that was given up is none of a stranger",
      at(
        "provider/library/adapter.ts",
        "isOfBrowser(model) && userOf(model, payload) === undefined",
        "isOfBrowser(model) && (payload.result ?? userOf(model, payload)) === undefined",
      ),
    ],
    [
      "parameters of any length",
      at("provider/library/library.ts", "request.refuseLong(params ?? state ?? {});", ""),
    ],
    [
      "tries without an address not counted",
      at(
        "provider/base/tries.ts",
        "address === undefined ? triesOfMachine :",
        "address === undefined ? Number.POSITIVE_INFINITY :",
      ),
    ],
    [
      "any number of /64 of one site",
      at("provider/base/tries.ts", "return around === undefined", "return around !== null"),
    ],
  ],
};
