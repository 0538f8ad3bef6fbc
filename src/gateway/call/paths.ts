import type { IncomingMessage } from "node:http";
/** A path that was found, with the values of its variables by their names. */
export interface PathMatch<Target> {
  readonly target: Target;
  readonly pathFields: { readonly [name: string]: string };
}

/** Finds paths by their segments. */
export interface Paths<Target> {
  /**
   * What answers the verb at a path without a query, whose segments are decoded here. Undefined
   * where none does. Throws URIError for what cannot be decoded.
   */
  find(verb: string, path: string): PathMatch<Target> | undefined;
  /** The verbs that are answered at a path; none where there is no such path. */
  verbsAt(path: string): readonly string[];
}

/**
 * A path with its variables as `:name`, and the verb in upper case that it answers. Its last
 * segment may be `*name`: a variable of one segment or more.
 */
export interface PathShape {
  readonly verb: string;
  readonly path: string;
}

interface Node<Target> {
  readonly literals: Map<string, Node<Target>>;
  variable: Node<Target> | undefined;
  /** What all segments that are left lead to. */
  rest: Node<Target> | undefined;
  /** What ends here, by verb: two of them may name the variables differently. */
  readonly targets: Map<string, { readonly target: Target; readonly names: readonly string[] }>;
}

/** The paths of the routes; a literal segment comes before a variable, and that before a rest. */
export function createPaths<Target>(
  routes: readonly (readonly [PathShape, Target])[],
): Paths<Target> {
  const root = createNode<Target>();
  for (const [{ verb, path }, target] of routes) {
    const names: string[] = [];
    let node = root;
    for (const segment of path.slice(1).split("/")) {
      if (segment.startsWith("*")) {
        names.push(segment.slice(1));
        node.rest ??= createNode();
        node = node.rest;
      } else if (segment.startsWith(":")) {
        names.push(segment.slice(1));
        node.variable ??= createNode();
        node = node.variable;
      } else {
        const next = node.literals.get(segment) ?? createNode<Target>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    node.targets.set(verb, { target, names });
  }

  const endOf = (path: string) => walk(root, path.slice(1).split("/").map(decode), 0);
  return {
    find(verb, path) {
      const end = endOf(path);
      const found = end?.node.targets.get(verb);
      if (end === undefined || found === undefined) return undefined;
      const entries = found.names.map((name, index) => [name, end.values[index] ?? ""]);
      return { target: found.target, pathFields: Object.fromEntries(entries) };
    },
    verbsAt: (path) => [...(endOf(path)?.node.targets.keys() ?? [])],
  };
}

/** Where the segments from an index on lead to, with the values of the variables on the way. */
function walk<Target>(
  node: Node<Target>,
  segments: readonly string[],
  index: number,
): { readonly node: Node<Target>; readonly values: readonly string[] } | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.targets.size > 0 ? { node, values: [] } : undefined;
  const literal = node.literals.get(segment);
  const end = literal && walk(literal, segments, index + 1);
  if (end !== undefined) return end;
  const other = node.variable && walk(node.variable, segments, index + 1);
  if (other !== undefined) return { node: other.node, values: [segment, ...other.values] };
  return node.rest && { node: node.rest, values: [segments.slice(index).join("/")] };
}

/**
 * The path and query of a request, also where it is sent as to a proxy (RFC 9112, 3.2.2): the name
 * that a caller gives the server counts there as little as in a header.
 */
export function withoutHost(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, "");
}

/** Takes away the name that a caller gives the server: nothing depends on it, so none misleads. */
export function forgetHost({ headers }: Pick<IncomingMessage, "headers">): void {
  headers.host = "localhost";
  if (":authority" in headers) headers[":authority"] = "localhost";
}

function decode(segment: string): string {
  return segment.includes("%") ? decodeURIComponent(segment) : segment;
}

function createNode<Target>(): Node<Target> {
  return { literals: new Map(), variable: undefined, rest: undefined, targets: new Map() };
}
