import { answerParent } from "../../bench/child.ts";
import { endProcesses } from "../harness/process.ts";
import { type Job, runJob } from "./jobs.ts";

/** Does jobs, one after the other, in a process of its own. */

const answers = { run: (job: Job) => runJob(job) };

/** What can be asked of a lane. */
export type LaneAnswers = typeof answers;

// On Ctrl+C it is the parent that goes, and no service may outlive this process.
process.on("SIGINT", () => {});
answerParent(answers, endProcesses);
