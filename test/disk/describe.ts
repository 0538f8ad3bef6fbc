import { describe } from "@jest/globals";
import { findCompiler } from "./disk.ts";

/** The C compiler with which disks that fail are made; empty where there is none. */
export const compiler = findCompiler() ?? "";

/**
 * Like `describe`. Nothing can take the place of a disk that fails: where none can be made, and
 * only there, the tests count as skipped, and `test/runner/missing.ts` says so.
 */
export const describeOnDisk = compiler === "" ? describe.skip : describe;
