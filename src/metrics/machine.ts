import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Meters } from "./families.ts";
import type { Meter } from "./registry.ts";

/** Milliseconds between two looks at the event loop; what is told is what came on top of it. */
const resolutionMs = 20;

/** Measures the process itself: its event loop, its memory and its CPU time. */
export function createMachine(meters: Meters) {
  const { loopP50, loopP99, loopMax, loopUse, memory, heap, cpu } = meters;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  let before = performance.eventLoopUtilization();
  const setDelay = (meter: Meter, nanoseconds: number) => {
    meter.set(meter.series(), Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000));
  };
  return {
    begin: () => void delay.enable(),
    read: () => {
      setDelay(loopP50, delay.percentile(50));
      setDelay(loopP99, delay.percentile(99));
      setDelay(loopMax, delay.max);
      delay.reset();
      const now = performance.eventLoopUtilization();
      loopUse.set(loopUse.series(), performance.eventLoopUtilization(now, before).utilization);
      before = now;
      const { rss, heapUsed } = process.memoryUsage();
      memory.set(memory.series(), rss);
      heap.set(heap.series(), heapUsed);
      const { user, system } = process.cpuUsage();
      cpu.set(cpu.series("user"), user / 1e6);
      cpu.set(cpu.series("system"), system / 1e6);
    },
    close: () => void delay.disable(),
  };
}
