// What a machine evaluates before a script: a function that makes ctx and api of JSON. Nothing of
// the host is in here, so what a script does with it harms nobody but the script. It keeps what it
// needs, since scripts may replace what is global, and adds to texts, not to lists: what a script
// puts on the prototype of lists has no part in them.
{
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const text = String;

  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  delete globalThis.performance;

  /** The generator sfc32: the same 32-bit numbers for the same seed. */
  function numbersFrom([first, second, third, fourth]) {
    let [a, b, c, counter] = [first, second, third, fourth];
    const next = () => {
      const sum = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = ((c << 21) | (c >>> 11)) + sum;
      return sum >>> 0;
    };
    for (let round = 0; round < 12; round += 1) next();
    return next;
  }

  const digits = "0123456789abcdef";

  /** A random UUID (RFC 9562, version 4). */
  function uuidFrom(next) {
    let made = "";
    for (let at = 0; at < 32; at += 1) {
      const random = next() & 15;
      if (at === 8 || at === 12 || at === 16 || at === 20) made += "-";
      made += digits[at === 12 ? 4 : at === 16 ? (random & 3) | 8 : random];
    }
    return made;
  }

  /** A value in a line of the log. What cannot be shown fails no script. */
  function shown(value) {
    try {
      if (typeof value !== "object" || value === null || value instanceof Error) return text(value);
      return stringify(value) ?? text(value);
    } catch {
      return "[cannot be shown]";
    }
  }

  /** What a script logs with, up to the limits, and the lines as JSON. */
  function makeLog({ logLines, logCharacters }) {
    let logged = "";
    let lines = 0;
    const log = (...values) => {
      let line = "";
      for (let at = 0; at < values.length; at += 1) line += (at > 0 ? " " : "") + shown(values[at]);
      const json = stringify(line);
      if (lines === logLines || logged.length + json.length + 2 >= logCharacters) return;
      lines += 1;
      logged += logged === "" ? json : `,${json}`;
    };
    const logger = { log, debug: log, info: log, warn: log, error: log };
    return { logger, tellLog: () => `[${logged}]` };
  }

  /** What records effects, each at its path in api, and the effects as JSON. */
  function makeApi(effects) {
    let recorded = "";
    const record = (kind, name, value) => {
      const json = stringify(value);
      if (json === undefined) throw new TypeError(`${kind} takes values that JSON has`);
      const entry = `{"kind":${stringify(kind)},"name":${stringify(name)},"value":${json}}`;
      recorded += recorded === "" ? entry : `,${entry}`;
    };
    const api = {};
    for (const { kind, path, isNamed } of effects) {
      const steps = path.split(".");
      const last = steps.pop();
      let holder = api;
      for (const step of steps) holder = holder[step] ??= {};
      holder[last] = isNamed
        ? (name, value) => record(kind, text(name), value)
        : (value) => record(kind, "", value);
      // Scripts of the compatible API also push to this.
      if (kind === "appendUserGrant") api.userGrants = { push: holder[last] };
    }
    return { api, tellEffects: () => `[${recorded}]` };
  }

  /** The context with the functions that scripts of the compatible API call. */
  function makeContext(ctx) {
    const { claims, v1 } = ctx;
    if (claims !== undefined) {
      const kept = stringify(claims);
      ctx.getClaim = (name) => parse(kept)[name];
      ctx.claimsJSON = () => kept;
    }
    if (v1?.user !== undefined) {
      const { metadata: _metadata, grants: _grants, ...user } = v1.user;
      const kept = stringify(user);
      v1.getUser = () => parse(kept);
    }
    for (const holder of [v1?.user, v1?.org]) {
      if (holder?.metadata === undefined) continue;
      const kept = stringify({ count: holder.metadata.length, metadata: holder.metadata });
      holder.getMetadata = () => parse(kept);
      delete holder.metadata;
    }
    return ctx;
  }

  /** What sees how the promise of an asynchronous function ends. */
  function makeWatch() {
    let isSettled = false;
    let failure;
    const onDone = () => {
      isSettled = true;
    };
    const onFailure = (reason) => {
      failure = { reason };
    };
    return {
      watch: (promise) => {
        apply(then, promise, [onDone, onFailure]);
      },
      hasSettled: () => {
        if (failure !== undefined) throw failure.reason;
        return isSettled;
      },
    };
  }

  /** What sends requests and waits for their answers. */
  function makeHttp(ask) {
    const fetch = (url, options = {}) => {
      const { method = "GET", headers = {}, body } = options;
      const asked = { url: text(url), method: text(method).toUpperCase(), headers };
      if (body !== undefined) asked.body = typeof body === "string" ? body : stringify(body);
      const answer = ask(stringify(asked));
      if (answer === undefined) throw new Error("The request was not answered in time.");
      const told = parse(answer);
      if (told.problem !== undefined) throw new Error(told.problem);
      const { status, type, body: kept } = told;
      const answered = { status, headers: { "content-type": type }, body: kept };
      return { ...answered, text: () => kept, json: () => parse(kept) };
    };
    return { fetch };
  }

  (given, ask) => {
    const { context, effects, seed, names, ...limits } = parse(given);
    const next = numbersFrom(seed);
    const { logger, tellLog } = makeLog(limits);
    const uuid = { v4: () => uuidFrom(next) };
    const modules = { __proto__: null };
    for (const name of names) {
      modules[`${name}/log`] = logger;
      modules[`${name}/uuid`] = uuid;
      if (ask !== undefined) modules[`${name}/http`] = makeHttp(ask);
    }
    Math.random = () => next() / 4_294_967_296;
    globalThis.console = logger;
    globalThis.require = (name) => {
      const found = modules[name];
      if (found === undefined) throw new Error(`there is no module ${text(name)}`);
      return found;
    };
    return { ctx: makeContext(context), tellLog, ...makeApi(effects), ...makeWatch() };
  };
}
