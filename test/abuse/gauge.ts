// Loaded into the service beside its own code: tells every half second how it is.

import { monitorEventLoopDelay } from "node:perf_hooks";

const intervalMs = 500;
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

setInterval(() => {
  const { heapUsed, rss } = process.memoryUsage();
  const blockMs = Math.round(delay.max / 1e6);
  process.stdout.write(`gauge ${JSON.stringify({ heapUsed, rss, blockMs })}\n`);
}, intervalMs).unref();
