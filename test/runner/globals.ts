/** What "@jest/globals" exports, by name. */
export type Globals = { readonly [name: string]: object };

let current: Globals = {};

/** Sets what the globals stand for from now on: each test file has its own. */
export function setGlobals(globals: Globals): void {
  current = globals;
}

/** A global that stands for the one of the file under way, also in modules that files share. */
function live(name: string) {
  return new Proxy(() => {}, {
    apply: (_, self, args) => Reflect.apply(current[name] as () => unknown, self, args),
    get: (_, key) => Reflect.get(current[name]!, key),
  });
}

export const afterAll = live("afterAll");
export const afterEach = live("afterEach");
export const beforeAll = live("beforeAll");
export const beforeEach = live("beforeEach");
export const describe = live("describe");
export const expect = live("expect");
export const it = live("it");
export const jest = live("jest");
export const test = live("test");
