/** The bounds of metrics. */
export const metricLimits = {
  /** Series in all: lines of the text, so a histogram has one for each bucket and two besides. */
  series: 6_000,
  /** Applications whose logins have series of their own. */
  applications: 100,
  /** Applications whose logins are counted to see whether they should have some. */
  watchedApplications: 1_000,
  /** Connections to the port of metrics. */
  connections: 16,
  /** Milliseconds for which one text answers all who ask. */
  keptMs: 1_000,
  /** Milliseconds that one of several processes has to tell its metrics. */
  answerMs: 2_000,
  /** Milliseconds within which a request for metrics must arrive. */
  requestMs: 5_000,
} as const;

/** The numbers of `metricLimits`. */
export type MetricLimits = { readonly [name in keyof typeof metricLimits]: number };
