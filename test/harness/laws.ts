import fc from "fast-check";

/**
 * What tries a law: with the same values each time, so that a test fails for its change alone. The
 * environment of the tests may choose others.
 */
fc.configureGlobal({ seed: Number(process.env.IAM_TEST_SEED ?? 1) });

export { fc };
