/** What "@jest/globals" exports, by name. */
export type Globals = { readonly [name: string]: object };

let current: Globals = {};

/** Sets what the globals stand for from now on: each test file has its own. */
export function setGlobals(globals: Globals): void {
  current = globals;
}

/**
 * A global that stands for the one of the file under way, also in modules that files share: so do
 * the functions it has, which such a module may keep.
 */
function live(name: string, find = (): object => current[name]!): () => void {
  return new Proxy(() => {}, {
    apply: (_, self, args) => Reflect.apply(find() as () => unknown, self, args),
    get(_, key) {
      const value = Reflect.get(find(), key);
      return typeof value === "function" ? live(name, () => Reflect.get(find(), key)) : value;
    },
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
