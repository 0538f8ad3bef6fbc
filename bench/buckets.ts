/** Says which part of a call the time of a profile's sample belongs to. */

/** The parts, in the order in which they are shown. */
export const buckets = [
  "Connect",
  "Protobuf",
  "HTTP, streams, sockets (Node)",
  "Fastify",
  "ours: gate",
  "ours: gate, reading the store",
  "ours: validation",
  "ours: api",
  "ours: execute and domain",
  "ours: execute, reading the store",
  "ours: store, writing",
  "ours: store, BEGIN and COMMIT",
  "ours: rest of the gateway",
  "ours: ids and hashes",
  "ours: log",
  "garbage collection",
  "outside JavaScript (nghttp2, libuv, kernel)",
  "other (microtasks, events, timers)",
] as const;

export type Bucket = (typeof buckets)[number];

/** One frame of a stack as V8 names it. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** Where the process waits for work; it belongs to no call. */
export function isIdle({ functionName }: Frame): boolean {
  return functionName === "(idle)";
}

/**
 * The part that a stack belongs to, its innermost frame first. Functions of V8 and of Node that
 * serve anyone count for one who called them.
 */
export function bucketOf(stack: readonly Frame[]): Bucket {
  const [top] = stack;
  if (top?.functionName === "(garbage collector)") return "garbage collection";
  const outside = top?.functionName === "(program)" || top?.functionName === "(root)";
  if (outside) return "outside JavaScript (nghttp2, libuv, kernel)";

  for (const [index, { url }] of stack.entries()) {
    const own = owners.find(([pattern]) => pattern.test(url));
    if (own !== undefined) return refined(own[1], url, stack.slice(index + 1));
  }
  return "other (microtasks, events, timers)";
}

/** The same code does different things for different callers. */
function refined(own: Bucket, url: string, callers: readonly Frame[]): Bucket {
  const calledBy = (pattern: RegExp) => callers.some((frame) => pattern.test(frame.url));
  if (own === "ours: store, writing") {
    if (calledBy(gate)) return "ours: gate, reading the store";
    if (/\/commit\.ts$/.test(url)) return "ours: store, BEGIN and COMMIT";
    if (/\/append\.ts$|\/write\.ts$/.test(url) || calledBy(/\/store\/sqlite\/commit\.ts$/)) {
      return own;
    }
    return calledBy(/\/src\/execute\//) ? "ours: execute, reading the store" : own;
  }
  if (own === "Protobuf" && calledBy(validation)) return "ours: validation";
  const isShared = own === "ours: execute and domain" || own === "ours: ids and hashes";
  return isShared && calledBy(gate) ? "ours: gate" : own;
}

const gate = /\/src\/gateway\/(?:gate|caller)\.ts$/;
const validation = /\/src\/gateway\/fields\.ts$|\/@bufbuild\/(?:protovalidate|cel)\//;

const owners: readonly (readonly [RegExp, Bucket])[] = [
  [gate, "ours: gate"],
  [validation, "ours: validation"],
  [/\/src\/store\//, "ours: store, writing"],
  [/\/src\/(?:event\.ts$|(?:domain|execute|text)\/)/, "ours: execute and domain"],
  [/\/src\/api\//, "ours: api"],
  [/\/src\/secrets\/|\/node_modules\/uuid\/|^node:internal\/crypto\//, "ours: ids and hashes"],
  [
    /\/src\/start\/logger\.ts$|\/node_modules\/(?:pino|sonic-boom|@pinojs|fast-redact)/,
    "ours: log",
  ],
  [/\/node_modules\/(?:safe-stable-stringify|quick-format-unescaped)\//, "ours: log"],
  [/\/src\/|\/bench\//, "ours: rest of the gateway"],
  [/\/node_modules\/@connectrpc\//, "Connect"],
  [/\/node_modules\/@bufbuild\/protobuf\/|\/gen\//, "Protobuf"],
  [/\/node_modules\/(?:@fastify|fastify|find-my-way|avvio|fast-uri)/, "Fastify"],
  [
    /^node:(?:net|http2?|_http\w*|internal\/(?:http2?\b|streams\/|stream_base_commons))/,
    "HTTP, streams, sockets (Node)",
  ],
];
