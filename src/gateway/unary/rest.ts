import type { RestRoute } from "../rest.ts";

/** A REST path that was found, with the values of its variables by field name. */
export interface RestMatch<Target> {
  readonly target: Target;
  readonly pathFields: { readonly [field: string]: string };
}

/** Finds REST paths by their segments. */
export interface RestPaths<Target> {
  /** Undefined where no path fits, or where it has a query or characters to be decoded first. */
  find(verb: string, path: string): RestMatch<Target> | undefined;
}

interface Node<Target> {
  readonly literals: Map<string, Node<Target>>;
  variable: Node<Target> | undefined;
  /** What ends here, by verb. */
  readonly targets: Map<string, { readonly target: Target; readonly names: readonly string[] }>;
}

/** The paths of the routes; a literal segment comes before a variable. */
export function createRestPaths<Target>(
  routes: readonly (readonly [Pick<RestRoute, "verb" | "path">, Target])[],
): RestPaths<Target> {
  const root = createNode<Target>();
  for (const [{ verb, path }, target] of routes) {
    const names: string[] = [];
    let node = root;
    for (const segment of path.slice(1).split("/")) {
      if (segment.startsWith(":")) {
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
  return {
    find(verb, path) {
      if (/[%?#]/.test(path)) return undefined;
      const values: string[] = [];
      let node: Node<Target> | undefined = root;
      for (const segment of path.slice(1).split("/")) {
        const literal: Node<Target> | undefined = node.literals.get(segment);
        if (literal === undefined) values.push(segment);
        node = literal ?? node.variable;
        if (node === undefined || segment === "") return undefined;
      }
      const found = node.targets.get(verb);
      if (found === undefined || found.names.length !== values.length) return undefined;
      const entries = found.names.map((name, index) => [name, values[index] ?? ""]);
      return { target: found.target, pathFields: Object.fromEntries(entries) };
    },
  };
}

function createNode<Target>(): Node<Target> {
  return { literals: new Map(), variable: undefined, targets: new Map() };
}
