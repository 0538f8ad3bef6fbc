// Loaded into the service beside its own code: tells every half second how it was since the last.

import { monitorEventLoopDelay } from "node:perf_hooks";

const intervalMs = 500;
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

setInterval(() => {
  const { heapUsed } = process.memoryUsage();
  const blockMs = Math.round(delay.max / 1e6);
  delay.reset();
  process.stdout.write(`gauge ${JSON.stringify({ heapUsed, blockMs })}\n`);
}, intervalMs).unref();
