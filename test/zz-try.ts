import { postgresPlace } from "./store/postgres-place.ts";
import { append, change, things } from "./store/fixture.ts";
const t0 = performance.now();
const place = await postgresPlace();
const lap = (what: string, from: number) => process.stdout.write(`${what} ${(performance.now() - from).toFixed(0)}\n`);
lap("server", t0);
for (let i = 0; i < 3; i++) {
  let t = performance.now();
  const p = await postgresPlace();
  lap("place", t); t = performance.now();
  const store = await p.open(things());
  lap("open", t); t = performance.now();
  await store.append(append([change("thing-1", 0)]));
  lap("append1", t); t = performance.now();
  for (let k = 2; k < 12; k++) await store.append(append([change(`thing-${k}`, 0)]));
  lap("append10", t); t = performance.now();
  await Promise.all(Array.from({length: 500}, (_, k) => store.append(append([change(`thang-${k}`, 0)]))));
  lap("append500", t); t = performance.now();
  for (let k = 0; k < 20; k++) await store.list({ kind: "thing", offset: 0, limit: 10 });
  lap("list20", t); t = performance.now();
  await store.close();
  lap("close", t); t = performance.now();
  await p.remove();
  lap("remove", t);
}
await place.remove();
