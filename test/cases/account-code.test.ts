import { runCases } from "../harness/cases.ts";
import { codeRows, ways } from "./accounts.ts";

/** Whatever is wrong with a code that people come with, the answer is the same; misses count. */

runCases("codes", [
  ...codeRows(ways.checkInitialization),
  ...codeRows(ways.initialize),
  ...codeRows(ways.verifyEmail),
  ...codeRows(ways.verifyPhone),
]);
