import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { families } from "../../src/metrics/families.ts";
import type { Family } from "../../src/metrics/registry.ts";
import { reasons } from "../../src/reason.ts";
import { isFull } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { find } from "./programs.ts";

/** What `deploy/monitoring` asks of Prometheus is what the service exposes. */

const directory = join(import.meta.dirname, "../../deploy/monitoring");
const read = (file: string) => readFileSync(join(directory, file), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const rules: readonly Rule[] = parse(read("alerts.yaml")).groups[0].rules;
const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(read("dashboard.json"));
const asked = [
  ...rules.map(({ alert, expr, annotations }) => [alert, expr, annotations.summary] as const),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
  ),
];

/** The labels of each series, by its name; of a histogram there are three. */
const labelsOf = new Map<string, readonly string[]>(
  Object.values<Family>(families).flatMap(({ name, type, labels }) =>
    type === "histogram"
      ? ["_bucket", "_sum", "_count"].map((end) => [name + end, [...labels, "le"]] as const)
      : [[name, labels] as const],
  ),
);
/** What Prometheus itself adds. */
labelsOf.set("up", ["job"]);

test.each(asked)("%s asks for what there is", (_title, expr, shown) => {
  const plain = expr.replaceAll(/"[^"]*"|\$\w+/g, "");
  const names = seriesIn(plain);
  expect(names.filter((name) => !labelsOf.has(name))).toEqual([]);
  const known = new Set(["instance", ...names.flatMap((name) => labelsOf.get(name) ?? [])]);
  expect(labelsIn(plain, shown).filter((label) => !known.has(label))).toEqual([]);
  expect(names.length).toBeGreaterThan(0);
});

test("the dashboard shows each metric", () => {
  const shown = new Set(
    panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => seriesIn(expr))),
  );
  const isShown = ({ name }: Family) => [...shown].some((one) => one.startsWith(name));
  expect(Object.values<Family>(families).filter((family) => !isShown(family))).toEqual([]);
});

test("somebody is woken by each reason that callers have no part in", () => {
  const [, told = ""] = /reason=~"([A-Z_|]+)"/.exec(read("alerts.yaml")) ?? [];
  const ours = Object.entries(reasons).filter(([, [code]]) =>
    /^(?:un(?:available|known)|internal)$/.test(code),
  );
  const names = ours.map(([name]) => name).filter((name) => name !== "SHUTTING_DOWN");
  expect(told.split("|").toSorted()).toEqual(names.toSorted());
});

/** It needs promtool (Debian's prometheus): `test/runner/missing.ts` says where it is not. */
const testWithPromtool = isFull && find("promtool") === undefined ? test.skip : inFull;

testWithPromtool("Prometheus takes the rules", () => {
  const args = ["check", "config", join(directory, "prometheus.yaml")];
  const { status, stdout } = spawnSync("promtool", args, { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringContaining(`${rules.length} rules found`)]);
});

testWithPromtool("a log in a file without a backup is told of after 36 hours", async () => {
  const series = (instance: string, name: string, values: string) => {
    return { series: `${name}{job="iam", instance="${instance}"}`, values };
  };
  const told = (instance: string) => ({
    exp_labels: { severity: "ticket", job: "iam", instance },
    exp_annotations: { summary: `${instance} has no backup of the last 36 hours` },
  });
  const alertname = "IamBackupOld";
  const cases = {
    rule_files: [join(directory, "alerts.yaml")],
    evaluation_interval: "5m",
    tests: [
      {
        interval: "5m",
        input_series: [
          ...["never", "old", "new"].map((one) => series(one, "iam_wal_bytes", "0x600")),
          ...["old", "database"].map((one) => series(one, "iam_ready", "1x600")),
          series("old", "iam_backup_timestamp_seconds", "0x600"),
          series("new", "iam_backup_timestamp_seconds", "0+300x600"),
        ],
        alert_rule_test: [
          { eval_time: "35h", alertname, exp_alerts: [] },
          { eval_time: "37h", alertname, exp_alerts: [told("never"), told("old")] },
        ],
      },
    ],
  };
  await inDirectory(async (place) => {
    const file = join(place, "cases.yaml");
    await writeFile(file, JSON.stringify(cases));
    const args = ["test", "rules", file];
    const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  });
});

/** The names of series in an expression, which are neither functions nor labels. */
function seriesIn(expr: string): readonly string[] {
  const bare = expr.replaceAll(/\{[^}]*\}|\bby \([^)]*\)/g, " ");
  return [...bare.matchAll(/\b(up|[a-z]\w*_\w+)\b(?! *\()/g)].map(([, name = ""]) => name);
}

/** The labels that an expression names, and those that are shown. */
function labelsIn(expr: string, shown: string): readonly string[] {
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) =>
    names.split(","),
  );
  const chosen = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, names = ""]) => names.split(","));
  const legends = [...shown.matchAll(/\{\{ *(?:\$labels\.)?(\w+)/g)].map(([, name = ""]) => name);
  const named = [...groups, ...chosen].map((one) => one.replace(/[=~!].*$/, "").trim());
  return [...named, ...legends].filter((name) => name !== "");
}
