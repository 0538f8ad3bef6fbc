import module from "node:module";

/**
 * Has imports of files of this program by their files take the shortest way. The path and its
 * ending say where the file is and what it is, so Node need not look for it, for links and for the
 * `package.json` that it belongs to. That is a quarter of the time of a start.
 */
export function resolveOwnFiles(root) {
  const own = ["src/", "gen/", "bundle/"].map((folder) => root + folder);
  module.registerHooks?.({
    resolve(specifier, context, next) {
      const parent = context.parentURL ?? "";
      const isOwn = own.some((folder) => parent.startsWith(folder));
      if (!isOwn || !/^\.\.?\//.test(specifier)) return next(specifier, context);
      const format = specifier.endsWith(".ts") ? "module-typescript" : "module";
      return { url: new URL(specifier, parent).href, format, shortCircuit: true };
    },
  });
}
