import { registerHooks } from "node:module";

/**
 * Imported before a process of the bench, it leaves out what proves that nobody changed the log:
 * no setting does. Rows have columns of the same sizes.
 */
const left = ["store/chain/chain.ts", "store/chain/state.ts", "log/heads.ts"].map(
  (file) => new URL(`../src/${file}`, import.meta.url).href,
);
const instead = new URL("unchained-store.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const isLeft = left.includes(found.url) && context.parentURL !== instead;
    return isLeft ? { ...found, url: instead } : found;
  },
});
