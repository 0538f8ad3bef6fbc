import { rows } from "../threats/rows.ts";
import { accessLists } from "./access.ts";
import { accountFaults } from "./account.ts";
import { appendFaults } from "./append.ts";
import { auditFaults } from "./audit.ts";
import { besideFaults } from "./beside.ts";
import { brandFaults } from "./brand.ts";
import { chainFaults } from "./chain.ts";
import { commitFaults } from "./commit.ts";
import { copyFaults } from "./copy.ts";
import { erasureFaults } from "./erasure.ts";
import type { Fault } from "./fault.ts";
import { feedFaults } from "./feed.ts";
import { fileFaults } from "./file.ts";
import { flowFaults, flowParts } from "./flows.ts";
import { frontFaults } from "./front.ts";
import { gatewayFaults, gatewayWaiting } from "./gateway.ts";
import { imageFaults } from "./image.ts";
import { languageFaults } from "./language.ts";
import { listFaults } from "./list.ts";
import { lockFaults } from "./lock.ts";
import { lookFaults } from "./look.ts";
import { messageFaults } from "./message.ts";
import { metadataFaults } from "./metadata.ts";
import { noticeFaults } from "./notice.ts";
import { objectFaults } from "./object.ts";
import { operateFaults } from "./operate.ts";
import { orgFaults } from "./org.ts";
import { orgRemovalFaults } from "./org-removal.ts";
import { ownFaults } from "./own.ts";
import { personalFaults } from "./personal.ts";
import { postgresFaults, verifyFaults } from "./postgres.ts";
import { clockFaults, headFaults, onceFaults, pageFaults } from "./program.ts";
import { providerFaults } from "./provider.ts";
import { quotaFaults } from "./quota.ts";
import { registerFaults } from "./register.ts";
import { retainFaults } from "./retain.ts";
import { rollingFaults } from "./rolling.ts";
import { sandboxFaults } from "./sandbox.ts";
import { searchFaults } from "./search.ts";
import { sendingFaults } from "./sending.ts";
import { tableFaults } from "./tables.ts";
import { threadFaults } from "./thread.ts";
import { threatFaults } from "./threat.ts";
import { slow } from "./threat-input.ts";
import { artifactFaults, unitFaults } from "./unit.ts";

/** What one run of Jest is to choose. */
export type Part = readonly string[];

/**
 * What is run for a fault in the store once the cases that are nearest have let it through: the
 * suite of the contract; the cases that are about SQLite alone; many processes and threads.
 */
const storeParts: readonly Part[] = [
  ["test/store/sqlite\\.test"],
  ["test/store", "--testPathIgnorePatterns=/(?:sqlite(?:-process|-reader)?|postgres.*)\\.test"],
  ["test/store/sqlite-(?:process|reader)\\."],
];
const nearest = (files: string, cases?: string): readonly Part[] => [
  [`test/store/${files}\\.test`, ...(cases === undefined ? [] : ["--testNamePattern", cases])],
  ...storeParts,
];

const copies = "to a database|goes on|refused|made|import";

/** What must find faults. */
export interface Suite {
  /** What is run in turn until a case fails. */
  readonly parts: readonly Part[];
  /** What the name of a case has in it that counts. */
  readonly named?: string;
  /** Names of faults that show in nothing but a wait without an end. */
  readonly waiting?: readonly string[];
}

/** The files of `test/faults/`, and in that of threats each row, with what must find its faults. */
export const lists: { readonly [name: string]: { faults: readonly Fault[] } & Suite } = {
  account: {
    faults: accountFaults,
    parts: [
      ["test/provider/account\\.", "test/start/erase-asked\\."],
      ["test/domain/user/erasure-request\\.", "test/cases/user-erase\\."],
    ],
  },
  brand: {
    faults: brandFaults,
    parts: [
      ["test/pages/(?:brand|language)"],
      ["test/notify/(?:mail-brand|compose)\\."],
      ["test/provider/brand\\."],
    ],
    waiting: ["no mail where a logo was forged"],
  },
  language: {
    faults: languageFaults,
    parts: [["test/text/", "test/notify/direction\\.", "test/pages/(?:page|style)\\."]],
  },
  look: {
    faults: lookFaults,
    parts: [
      ["test/pages/page\\.", "test/domain/user/own/passkey\\."],
      ["test/provider/(?:account-factors|api-token)\\."],
    ],
  },
  append: {
    faults: appendFaults,
    parts: nearest("sqlite(?:-answer)?", "append|claims|the log|answers|limits"),
  },
  chain: {
    faults: chainFaults,
    parts: nearest(
      "(?:sqlite-)?(?:chain|follow|object|(?:artifact-)?forged(?:-read)?|migration|verify[a-z-]*)",
    ),
  },
  image: {
    faults: imageFaults,
    parts: [["test/domain/image", "test/store/sqlite-attachment\\."], ["test/cases/asset"]],
  },
  object: { faults: objectFaults, parts: nearest("sqlite", "objects|the log|the projection") },
  list: {
    faults: listFaults,
    parts: nearest("sqlite(?:-field|-plan)?", "objects|list|fields|projection"),
  },
  search: { faults: searchFaults, parts: nearest("sqlite(?:-plan)?", "search") },
  feed: { faults: feedFaults, parts: nearest("feed(?:-tail)?") },
  commit: {
    faults: commitFaults,
    parts: nearest("sqlite-(?:commit|file|lock)"),
    waiting: ["neighbours of a bad append forgotten", "busy append retried forever"],
  },
  file: {
    faults: fileFaults,
    parts: nearest("sqlite-(?:checkpoints|file|full|outcome|replaced|upkeep)"),
  },
  thread: { faults: threadFaults, parts: nearest("sqlite-(?:pace|reader)", "in the thread") },
  message: {
    faults: messageFaults,
    parts: nearest("sqlite(?:-message)?", "messages|the projection"),
  },
  quota: { faults: quotaFaults, parts: nearest("sqlite(?:-quota)?", "quotas|messages|projection") },
  postgres: {
    faults: postgresFaults,
    parts: [
      ["test/store/postgres-(?!crash|deadline|driver|pooler|rolling|taken|tls|verify)"],
      [
        "test/store/postgres\\.test",
        "--testNamePattern",
        "refuses version|messages|claims|quotas|answers|the time of the log",
      ],
    ],
    waiting: ["batch written twice after a lost answer"],
  },
  verify: {
    faults: verifyFaults,
    parts: [["test/store/postgres-verify-tables\\.test"], ["test/store/postgres-verify\\.test"]],
  },
  rolling: {
    faults: rollingFaults,
    parts: [["test/store/postgres-(?:rolling|taken-over)\\."]],
    waiting: ["writes that wait for the locks of others"],
  },
  copy: { faults: copyFaults, parts: [["test/operate/copy\\b", "--testNamePattern", copies]] },
  clock: { faults: clockFaults, parts: [["test/log/clock(?:s|-life)?\\."]] },
  head: { faults: headFaults, parts: [["test/log/heads\\."], ["test/log/history"]] },
  erasure: {
    faults: erasureFaults,
    parts: [
      ["test/(?:file|log/(?:erasures|read-entries)|store/sqlite-rewrite|notify/outbox)"],
      ["test/(?:cases/user-erase-busy|log/(?:anchor|database-erasures)|operate/erase-vacuum)\\."],
    ],
    waiting: [
      "list of erasures not filled from the log",
      "start held up by a pipe",
      "outbox left as it is when somebody is erased",
      "outbox left as it is when another node erases somebody",
    ],
  },
  sending: {
    faults: sendingFaults,
    parts: [
      ["test/(?:domain/(?:sending|user/credential/delivery-)|notify/(?!quota|notice|process))"],
    ],
  },
  flows: { faults: flowFaults, parts: flowParts },
  sandbox: {
    faults: sandboxFaults,
    parts: [
      [
        "test/actions/(?!attacks)",
        "test/(?:api/action-test|cases/action-test|domain/set-claims)\\.",
      ],
      ["test/actions/attacks\\."],
    ],
    waiting: ["script not interrupted at its deadline", "thread of a run that does not yield kept"],
  },
  audit: { faults: auditFaults, parts: [["test/log/audit-again\\."]] },
  tables: { faults: tableFaults, parts: [["test/store/sqlite-verify-foreign\\."]] },
  lock: { faults: lockFaults, parts: [["test/cases/user-locked\\."]] },
  metadata: { faults: metadataFaults, parts: [["test/cases/user-metadata(?:-busy|-list)?\\."]] },
  org: {
    faults: orgFaults,
    parts: [["test/cases/org-(?:change|meanwhile)\\."], ["test/provider/organization\\."]],
  },
  orgRemoval: {
    faults: orgRemovalFaults,
    parts: [
      ["test/(?:cases/org-(?:remove|meanwhile)|start/clear|domain/(?:org-removal|dependants))\\."],
      ["test/(?:execute/removal|notify/(?:logout|worker))\\."],
    ],
  },
  notice: {
    faults: noticeFaults,
    parts: [
      ["test/domain/user/(?:credential/delivery|state/notice)\\."],
      ["test/notify/(?:notice|compose)\\."],
      ["test/cases/user-notice"],
      ["test/domain/user/login/reset", "test/provider/factor"],
    ],
  },
  register: {
    faults: registerFaults,
    parts: [
      ["test/domain/registration\\.", "test/notify/registration\\."],
      ["test/provider/register(?:-way|-alike)?\\.test"],
    ],
  },
  own: {
    faults: ownFaults,
    parts: [
      ["test/(?:domain/user/(?:own/own|state/email-request)|notify/email-request)\\."],
      ["test/provider/(?:account-factors|own-(?:profile|password|email|phone|hands))\\."],
    ],
  },
  personal: { faults: personalFaults, parts: [["test/cases/user-personal-data\\."]] },
  retain: { faults: retainFaults, parts: [["test/start/(?:retain|forget)\\."]] },
  beside: {
    faults: besideFaults,
    parts: [
      ["test/(?:provider/erased|store/sqlite-artifact-known)\\."],
      [
        "test/store/(?:sqlite|postgres)\\.test",
        "--testNamePattern",
        "beside the log|it names, its own",
      ],
    ],
  },
  page: { faults: pageFaults, parts: [["test/api/page-token\\."]] },
  operate: {
    faults: operateFaults,
    parts: [
      ["test/config/sentence\\."],
      ["test/log/(?:last-backup|links|transfer)\\."],
      ["test/operate/(?:backup|cut(?:-erased)?|keys)\\."],
      ["test/start/(?:logger|output|owner-link|ready-path|unfinished)\\."],
    ],
  },
  provider: {
    faults: providerFaults,
    parts: [
      ["test/provider/(?:standards|hybrid-profile|record|refused-request)\\."],
      ["test/provider/(?:other-site|unavailable)\\."],
      ["test/pages/loopback\\."],
    ],
  },
  front: {
    faults: frontFaults,
    parts: [
      ["test/provider/(?:busy|factor|form|guesses)\\."],
      ["test/config/doubts", "test/port/turn"],
      ["test/gateway/(?:linger|call/pace)\\."],
    ],
  },
  artifact: { faults: artifactFaults, parts: nearest("sqlite(?:-artifact)?", "artifacts") },
  unit: {
    faults: unitFaults,
    parts: [["test/provider/(?:unit|commits)\\."], ["test/provider/unavailable\\."]],
  },
  gateway: {
    faults: gatewayFaults,
    parts: [
      ["test/gateway/call/(?:answers?|answer-fields|budget|call|limits|log|receive|shares)\\."],
      ["test/gateway/(?:cors|hostile/(?:path|socket))\\.", "test/access/(?:gate|public|seen)\\."],
      ["test/gateway/(?:drain|reflection-bytes|call/violations|native/(?:differential|large))\\."],
    ],
    waiting: gatewayWaiting,
  },
  ...accessLists,
  once: { faults: onceFaults, parts: [["test/gateway/call/once\\."]] },
  ...Object.fromEntries(
    rows.map(({ names: [name = ""], files }) => {
      const parts = [files.map((file) => `/${file}$`)];
      const faults = threatFaults[name] ?? [];
      const waiting = name === slow ? faults.map(([fault]) => fault) : [];
      return [name, { faults, parts, named: name, waiting }];
    }),
  ),
};
