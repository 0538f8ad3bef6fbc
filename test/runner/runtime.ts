import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type NodeItself from "./environment.ts";
import { type Globals, setGlobals } from "./globals.ts";

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@jest/globals"
      ? { url: new URL("./globals.ts", import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});

const require = createRequire(import.meta.url);
/** Where Jest keeps what handles its events. */
const handlers = Symbol.for("EVENT_HANDLERS");

/**
 * How Jest loads a test file and what it asks for: as Node does, once in each worker, where Jest's
 * own runtime compiles every module again for every file.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes a runtime in no other way.
export default class NodeRuntime {
  readonly #environment: NodeItself;

  constructor(_config: unknown, environment: NodeItself) {
    this.#environment = environment;
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  unstable_importModule(path: string): Promise<unknown> {
    return import(pathToFileURL(path).href);
  }

  /** Loads what keeps the tests of a file: anew, since it keeps those of one file alone. */
  requireInternalModule(path: string): unknown {
    Reflect.deleteProperty(globalThis, handlers);
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals: Globals): void {
    const { fakeTimersModern, moduleMocker } = this.#environment;
    const jest = new Proxy(
      {},
      {
        get(_, name) {
          const owner = name in fakeTimersModern ? fakeTimersModern : moduleMocker;
          return Reflect.get(owner, name).bind(owner);
        },
      },
    );
    setGlobals({ ...globals, jest });
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  enterTestCode(): void {}

  leaveTestCode(): void {}

  getSourceMaps(): undefined {}

  getAllCoverageInfoCopy(): undefined {}

  teardown(): void {}
}
