/** What happened where links were made of what the caller says of itself. */
export const fromHeaders =
  "CVE-2025-64101, CVE-2023-49097, GHSA-93m4-mfpg-c3xf, GHSA-pfrf-9r5f-73f5";

/** Where a link must not lead. */
export const evil = "evil.example";

/** Headers that say that the service is called something else, or is somewhere else. */
export const lies: readonly (readonly [name: string, value: string])[] = [
  ["host", evil],
  ["host", `${evil}:443`],
  ["host", `iam.example.com@${evil}`],
  ["forwarded", `host=${evil};proto=http`],
  ["x-forwarded-host", evil],
  ["x-forwarded-server", evil],
  ["x-forwarded-for", evil],
  ["x-forwarded-proto", "javascript"],
  ["x-forwarded-port", "666"],
  ["x-forwarded-prefix", `//${evil}`],
  ["x-original-host", evil],
  ["x-host", evil],
  ["x-http-host-override", evil],
  ["x-original-url", `http://${evil}/`],
  ["x-rewrite-url", `http://${evil}/`],
  ["origin", `https://${evil}`],
  ["referer", `https://${evil}/`],
];
