import { bucketOf, buckets, type Frame, isIdle } from "./buckets.ts";
import { brief, table } from "./table.ts";

/** What V8 writes, as far as it is needed here (Chrome DevTools Protocol, Profiler.Profile). */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds between a sample and the one before it. */
  readonly timeDeltas: readonly number[];
}

interface CallFrame extends Frame {
  /** From 0. */
  readonly lineNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

const functionsShown = 25;

type Sums = Map<string, number>;

/**
 * Where the time of a profile went: by part of a call, by function, and by function of ours with
 * what V8 and Node did for it. Everything in microseconds per call.
 */
export function shares(profile: Profile, calls: number): string {
  const parts: Sums = new Map();
  const functions: Sums = new Map();
  const ours: Sums = new Map();
  let busy = 0;
  for (const { stack, micros } of selfTimes(profile)) {
    const [top] = stack;
    if (top === undefined || isIdle(top)) continue;
    busy += micros;
    const bucket = bucketOf(stack);
    add(parts, bucket, micros);
    add(functions, nameOf(top, stack), micros);
    if (bucket.startsWith("ours")) add(ours, nameOf(ownerOf(stack)), micros);
  }

  const line = ([name, micros]: readonly [string, number]) => [
    name,
    brief(micros / calls),
    `${((micros / busy) * 100).toFixed(1)} %`,
  ];
  const partLines = buckets.map((bucket) => [bucket, parts.get(bucket) ?? 0] as const);
  const together = partLines.filter(([bucket]) => bucket.startsWith("ours"));
  const most = (sums: Sums) =>
    [...sums]
      .sort(([, a], [, b]) => b - a)
      .slice(0, functionsShown)
      .map(line);
  return [
    table(
      ["part of a call", "µs", "share"],
      [
        ...partLines.map(line),
        line(["ours together", together.reduce((sum, [, micros]) => sum + micros, 0)]),
        line(["all, without idling", busy]),
      ],
    ),
    table(["function, by itself", "µs", "share"], most(functions)),
    table(["function of ours, with what V8 and Node do for it", "µs", "share"], most(ours)),
  ].join("\n\n");
}

/** Each stack of the profile, innermost frame first, with the time in just that frame. */
function selfTimes({ nodes, samples, timeDeltas }: Profile) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const micros = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    // A sample stands for the time until the next one.
    micros.set(id, (micros.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return [...micros].map(([id, own]) => {
    const stack: CallFrame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      if (node !== undefined) stack.push(node.callFrame);
    }
    return { stack, micros: own };
  });
}

/** The innermost frame that is neither V8's nor Node's. */
function ownerOf(stack: readonly CallFrame[]): CallFrame | undefined {
  return stack.find(({ url }) => url.startsWith("file:")) ?? stack[0];
}

function nameOf(frame: CallFrame | undefined, stack: readonly CallFrame[] = []): string {
  if (frame === undefined) return "?";
  const { functionName, url, lineNumber } = frame;
  if (functionName.startsWith("(")) return functionName;
  const named = functionName || "(anonymous)";
  if (url !== "") return `${named}  ${shortened(url)}:${lineNumber + 1}`;
  return `${named}, native  for ${nameOf(stack.find((caller) => caller.url !== ""))}`;
}

function shortened(url: string): string {
  const packages = url.lastIndexOf("/node_modules/");
  if (packages >= 0) return url.slice(packages + "/node_modules/".length);
  const own = url.search(/\/(?:src|gen|bench)\//);
  return own < 0 ? url : url.slice(own + 1);
}

function add(sums: Sums, key: string, micros: number): void {
  sums.set(key, (sums.get(key) ?? 0) + micros);
}
