import { shownFactorKinds } from "../provider/base/parts.ts";
import { metricLimits } from "./limits.ts";
import type { Family, Meter } from "./registry.ts";

/** The version of OpenTelemetry's semantic conventions after which metrics are named. */
export const conventions = "1.45.0";

/** Seconds of a call or a request. */
const seconds = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
/** Seconds that a message waits. */
const waits = [1, 10, 60, 600, 3_600, 86_400];

/** What a metric has where nothing else is said. */
const plain = { labels: [], seriesMax: 1, bounds: [], of: "sum" } as const;

type Said = Pick<Family, "name" | "help"> & Partial<Family>;

const counter = (said: Said): Family => ({ ...plain, ...said, type: "counter" });
const histogram = (said: Said): Family => ({
  ...plain,
  bounds: seconds,
  ...said,
  type: "histogram",
});
/** What each process knows a part of. */
const part = (said: Said): Family => ({ ...plain, ...said, type: "gauge" });
/** What all processes see alike, or of which the worst counts. */
const shared = (said: Said): Family => ({ ...plain, of: "max", ...said, type: "gauge" });

/** Every metric. `docs/metrics.md` is made from it. */
export const families = {
  calls: histogram({
    name: "rpc_server_call_duration_seconds",
    help: "Calls by protocol and method, and seconds from their header to their answer",
    ...{ labels: ["rpc_system_name", "rpc_method"], seriesMax: 300 },
  }),
  requests: histogram({
    name: "http_server_request_duration_seconds",
    help: "Requests of the OpenID provider and its pages, and their seconds",
    labels: ["http_request_method", "http_route", "http_response_status_code"],
    seriesMax: 160,
  }),
  refusals: counter({
    name: "iam_refusals_total",
    help: "Refused calls and requests by protocol (http where they reached no method) and reason",
    ...{ labels: ["protocol", "reason"], seriesMax: 300 },
  }),
  logins: counter({
    name: "iam_logins_total",
    help: "Factors that people showed, by the application that they came from",
    labels: ["application", "factor", "outcome"],
    // Of these applications and of all others.
    seriesMax: (metricLimits.applications + 1) * shownFactorKinds + 1,
  }),
  appends: counter({
    name: "iam_appends_total",
    help: "Appends to the log by what came of them; the conflicts are among them",
    ...{ labels: ["outcome"], seriesMax: 12 },
  }),
  appendSeconds: histogram({
    name: "iam_append_duration_seconds",
    help: "Seconds from an append to its commit, with the wait for others",
  }),
  commits: histogram({
    name: "iam_commit_writes",
    help: "Commits, and how many appends and writes of artifacts each had",
    bounds: [1, 4, 16, 64, 256],
  }),
  queues: part({
    name: "iam_queue_length",
    help: "What waits for a place to work",
    ...{ labels: ["queue"], seriesMax: 5 },
  }),
  hashes: histogram({
    name: "iam_password_hash_duration_seconds",
    help: "Passwords that were hashed or verified, and their seconds, with the wait for a thread",
    ...{ labels: ["operation"], seriesMax: 3 },
  }),
  messages: counter({
    name: "iam_messages_total",
    help: "Attempts to send a message by channel and what came of them",
    ...{ labels: ["channel", "outcome"], seriesMax: 7 },
  }),
  messageAges: histogram({
    name: "iam_message_age_seconds",
    help: "Messages that were sent, and their seconds since they were asked for",
    ...{ labels: ["channel"], seriesMax: 3, bounds: waits },
  }),
  waitingMessages: shared({
    name: "iam_messages_waiting",
    help: "Messages that are due, postponed by a quota, or tried again later; counted up to 10000",
    ...{ labels: ["state"], seriesMax: 4 },
  }),
  oldestMessage: shared({
    name: "iam_message_oldest_seconds",
    help: "Seconds since the oldest message that is due or tried again was first due",
  }),
  failingChannels: shared({
    name: "iam_channel_failing_seconds",
    help: "Seconds for which a channel has taken no message; 0 is well",
    ...{ labels: ["channel"], seriesMax: 3 },
  }),
  watches: part({ name: "iam_watches", help: "Open watches" }),
  watchLag: shared({
    name: "iam_watch_lag_events",
    help: "Events of the log that the slowest watch has not gone through",
  }),
  artifacts: counter({
    name: "iam_artifact_writes_total",
    help: "Changes of what logins leave for a while, by its kind",
    ...{ labels: ["kind", "change"], seriesMax: 120 },
  }),
  actionRuns: counter({ name: "iam_action_runs_total", help: "Runs of actions" }),
  actionFailures: counter({
    name: "iam_action_failures_total",
    help: "Runs of actions that failed",
  }),
  position: shared({ name: "iam_log_position", help: "Position of the last event of the log" }),
  verified: shared({
    name: "iam_log_verified_events",
    help: "Events that the check of the whole log has gone through",
  }),
  headLag: shared({
    name: "iam_log_head_lag_events",
    help: "Events that the head outside of the log is behind",
  }),
  backup: shared({
    name: "iam_backup_timestamp_seconds",
    help: "Unix time of the last backup that the command backup made of this directory",
  }),
  freeBytes: shared({ name: "iam_disk_free_bytes", help: "Bytes that the disk has left" }),
  walBytes: shared({ name: "iam_wal_bytes", help: "Bytes of the WAL beside the log" }),
  connections: part({
    name: "iam_database_connections",
    help: "Connections to the database",
  }),
  ready: {
    ...shared({ name: "iam_ready", help: "1 where the log takes writes, else 0" }),
    of: "min",
  },
  warnings: shared({ name: "iam_warnings", help: "Warnings of /readyz" }),
  info: part({
    name: "iam_info",
    help: "Processes that serve, by version",
    ...{ labels: ["version"], seriesMax: 2 },
  }),
  loopP50: shared({
    name: "nodejs_eventloop_delay_p50_seconds",
    help: "Median delay of the event loop since the last reading, of the worst process",
  }),
  loopP99: shared({
    name: "nodejs_eventloop_delay_p99_seconds",
    help: "The same for the 99th percentile",
  }),
  loopMax: shared({
    name: "nodejs_eventloop_delay_max_seconds",
    help: "The same for the longest delay",
  }),
  loopUse: shared({
    name: "nodejs_eventloop_utilization_ratio",
    help: "Part of the time in which the event loop worked since the last reading",
  }),
  memory: part({ name: "process_memory_usage_bytes", help: "Resident memory" }),
  heap: part({ name: "v8js_memory_heap_used_bytes", help: "Heap in use" }),
  cpu: counter({
    name: "process_cpu_time_seconds_total",
    help: "CPU time of the process",
    ...{ labels: ["cpu_mode"], seriesMax: 3 },
  }),
} satisfies { readonly [key: string]: Family };

/** What records each metric. */
export type Meters = { readonly [key in keyof typeof families]: Meter };
