import { grownKinds, grownRatio } from "./growth.ts";
import { peerKinds, peerNotes, peerRatios } from "./peers.ts";
import { rateTable, verdict } from "./report.ts";
import type { Figures } from "./results.ts";
import { brief, spreadText, table } from "./table.ts";

/** What the service promises beside others and on larger stores. */
const promises = { createRatioMin: 0.85, residentRatioMax: 1.2, peerRatioMin: 15 } as const;

/** How fast others create the same, for people. */
export function showPeers({ rows = [], ratios = {} }: Figures): string {
  const cells = peerKinds.map((kind) => {
    const found = [peerRatios.rate, peerRatios.cpu].map((nameOf) => ratios[nameOf(kind)]);
    return [kind, ...found.flatMap((one) => (one ? [brief(one.median), spreadText(one)] : []))];
  });
  const least = peerKinds.filter((kind) => kind !== "users with password");
  const found = least.map((kind) => ratios[peerRatios.rate(kind)]?.median ?? Number.NaN);
  const head = ["here / better-auth", "by rate", "", "by CPU", ""];
  const ratioTable = `Ratios, each taken within a repetition\n\n${table(head, cells)}`;
  const kept = verdict(
    `${least.join(", ")} at least ${promises.peerRatioMin} × better-auth`,
    found.map(brief).join(", "),
    Math.min(...found) >= promises.peerRatioMin,
  );
  return [rateTable(rows), ratioTable, peerNotes.join("\n"), kept].join("\n\n");
}

/** What larger stores cost, for people. */
export function showGrowth({ rows = [], ratios = {}, grown = [] }: Figures): string {
  const [empty, ...larger] = grown;
  const share = (value: number, of: number | undefined) => (value / (of ?? Number.NaN)).toFixed(2);
  const cells = larger.map(({ name, startMs, residentBytes }) => [
    name,
    ...grownKinds.flatMap((kind) => {
      const spread = ratios[grownRatio(kind, name)];
      return spread ? [brief(spread.median), spreadText(spread)] : ["", ""];
    }),
    share(startMs.median, empty?.startMs.median),
    share(residentBytes, empty?.residentBytes),
  ]);
  const head = ["/ empty", ...grownKinds.flatMap((kind) => [kind, ""]), "start", "resident"];
  const stores = grown.map(({ name, startMs, residentBytes }) => [
    name,
    brief(startMs.median),
    spreadText(startMs),
    brief(residentBytes / 2 ** 20),
  ]);
  const largest = larger.at(-1);
  const createRatio = ratios[grownRatio("create", largest?.name ?? "")]?.median ?? Number.NaN;
  const residentRatio = (largest?.residentBytes ?? Number.NaN) / (empty?.residentBytes ?? 0);
  return [
    rateTable(rows),
    table(["store", "start ms", "spread", "resident MiB"], stores),
    "A list is its first page of 100, the newest first, with the number of all entries; of\n" +
      "actions, by name, those that contain a text, and from the middle, by offset and by token.",
    `Ratios of rates, each taken within a repetition\n\n${table(head, cells)}`,
    [
      verdict(
        `create on ${largest?.name} at least ${promises.createRatioMin} × that on an empty store`,
        brief(createRatio),
        createRatio >= promises.createRatioMin,
      ),
      verdict(
        `resident on ${largest?.name} at most ${promises.residentRatioMax} × that on an empty store`,
        brief(residentRatio),
        residentRatio <= promises.residentRatioMax,
      ),
    ].join("\n"),
  ].join("\n\n");
}
