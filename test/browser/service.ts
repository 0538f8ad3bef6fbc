import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { projector } from "../../src/log/projector.ts";
import { tokenFile } from "../../src/start/first-start.ts";
import { ownerLinkFile } from "../../src/start/owner-link.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { type Receiver, startReceiver } from "../notify/receiver.ts";
import { type Mail, type MailServer, startMailServer } from "../notify/smtp.ts";
import { createWatch } from "../notify/watch.ts";
import { createCertificate } from "../port/certificate.ts";
import type { Named } from "./chromium.ts";

/** Where people reach the service. */
export const publicUrl = "https://iam.example.com";

/** The service as an operator runs it: a process with TLS, a mail server and an SMS webhook. */
export interface Service {
  /** For the browser. */
  readonly named: Named;
  readonly management: Client<typeof ManagementService>;
  readonly headers: { readonly authorization: string };
  readonly process: ServiceProcess;
  /** By which a person becomes an owner. */
  readonly ownerLink: string;
  /** The first mail that an address gets, or that says this, as HTML. */
  mailTo(address: string, says?: string): Promise<string>;
  /** The text that a phone gets. */
  textTo(number: string): Promise<string>;
  /** Stops the process in good order, and answers its log, which the caller closes. */
  stop(): Promise<Store>;
  close(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), "iam-test-"));
  const dataDir = join(directory, "data");
  const certificate = createCertificate("iam test");
  const [certPath, keyPath] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  await writeFile(certPath, certificate.cert);
  await writeFile(keyPath, certificate.key, { mode: 0o600 });
  const watch = createWatch();
  const mailServer: MailServer = await startMailServer(watch);
  const receiver: Receiver = await startReceiver(watch);
  const process = startProcess([], {
    env: {
      IAM_DATA_DIR: dataDir,
      IAM_PORT: "0",
      IAM_PUBLIC_URL: publicUrl,
      IAM_TLS_CERT: certPath,
      IAM_TLS_KEY: keyPath,
      IAM_SMTP_URL: `smtp://127.0.0.1:${mailServer.server.port}`,
      IAM_SMS_URL: receiver.url,
      IAM_SMS_KEY: "k".repeat(32),
    },
  });
  const url = await process.listening;
  const token = (await readFile(join(dataDir, tokenFile), "utf8")).trim();
  const ownerLink = (await readFile(join(dataDir, ownerLinkFile), "utf8")).trim();
  const nodeOptions = { ca: certificate.cert };
  const transport = createGrpcTransport({ baseUrl: url, nodeOptions });
  return {
    named: { hostname: new URL(publicUrl).hostname, port: Number(new URL(url).port), certificate },
    management: createClient(ManagementService, transport),
    headers: { authorization: `Bearer ${token}` },
    ...{ process, ownerLink },
    mailTo: async (address, says = "") => {
      const isIt = ({ to, html = "" }: Mail) => to.includes(address) && html.includes(says);
      const found = () => mailServer.mails.find(isIt);
      await watch.until(() => found() !== undefined);
      return found()!.html ?? "";
    },
    textTo: async (number) => {
      const texts = () =>
        receiver.calls
          .map(({ body }) => JSON.parse(body) as { readonly to: string; readonly text: string })
          .filter(({ to }) => to === number);
      await watch.until(() => texts().length > 0);
      return texts()[0]!.text;
    },
    stop: async () => {
      process.kill("SIGTERM");
      const end = await process.ended;
      if (end.code !== 0) throw new Error(`it ended with ${end.code}: ${process.stderr()}`);
      return await openSqlite({ path: join(dataDir, "iam.db"), projector, ...sealingIn(dataDir) });
    },
    close: async () => {
      await Promise.all([receiver.close(), mailServer.down()]);
      await rm(directory, { recursive: true });
    },
  };
}
