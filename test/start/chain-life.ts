import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Row, readRows } from "../crash/ledger.ts";
import {
  endProcesses,
  inDirectory,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import { type Call, startReceiver } from "../notify/receiver.ts";
import { type Mail, startMailServer } from "../notify/smtp.ts";
import { createWatch } from "../notify/watch.ts";

/** What the operator of the chain has set. */
export const publicUrl = "https://konto.example.com/iam";
export const sender = "iam@example.com";
export const smsKey = "what the webhook and the service know";

/** What the caller of the chain sends. */
export const given = {
  clientSecret: "what the partner gave us",
  email: "ada@example.com",
  phone: "+41 44 668 18 00",
};

/** An answer as plain HTTP has it. */
export interface Answer {
  readonly status: number;
  readonly body: Body;
}

/** What the answers of the chain may hold. */
export interface Body {
  readonly details?: { readonly sequence: string };
  readonly idpId?: string;
  readonly userId?: string;
  readonly passwordlessRegistration?: { readonly link: string };
}

/** What came of a chain that was lived from the start of the service to its end. */
export interface Life {
  readonly provider: Answer;
  readonly person: Answer;
  readonly wrongCode: Answer;
  readonly rightCode: Answer;
  readonly usedCode: Answer;
  readonly mails: readonly Mail[];
  readonly texts: readonly Call[];
  /** The code as the SMS has it. */
  readonly phoneCode: string;
  /** When the SMS had come, in Unix seconds. */
  readonly textedSeconds: number;
  readonly token: string;
  readonly ended: { readonly code: number | null; readonly signal: string | null };
  /** All that the process wrote to its outputs. */
  readonly wrote: string;
  readonly events: readonly Row[];
}

/**
 * Lives a chain on a service of its own: a provider, a person who is imported with it, the messages
 * that the person gets, and the code of one of them, tried wrong, right and once more. The mail
 * server takes its time: it accepts the mail when the service has been told to stop.
 */
export function liveChain(): Promise<Life> {
  return inDirectory(async (dataDir) => {
    const watch = createWatch();
    const stopping = Promise.withResolvers<undefined>();
    let isMailThere = false;
    const mailServer = await startMailServer(watch, {
      data: () => {
        isMailThere = true;
        watch.happened();
        return stopping.promise;
      },
    });
    const webhook = await startReceiver(watch);
    const { host, port } = mailServer.server;
    const service = startProcess(["serve", "--port=0", `--data-dir=${dataDir}`], {
      env: {
        IAM_PUBLIC_URL: publicUrl,
        IAM_SMTP_URL: `smtp://${host}:${port}`,
        IAM_SMTP_FROM: sender,
        IAM_SMS_URL: webhook.url,
        IAM_SMS_KEY: smsKey,
      },
    });
    try {
      const url = await service.listening;
      const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
      const call = (path: string, body: object) => post(`${url}${path}`, token, body);

      const provider = granted(await call("/management/v1/idps/oidc", providerRequest));
      const human = personRequest(provider.body.idpId!);
      const person = granted(await call("/management/v1/users/human/_import", human));
      const arrived = () => isMailThere && webhook.calls.length > 0;
      await Promise.race([watch.until(arrived), endOf(service)]);
      const textedSeconds = Math.floor(Date.now() / 1_000);

      const phoneCode = codeIn(webhook.calls[0]!);
      const verify = (verificationCode: string) =>
        call(`/v2/users/${person.body.userId}/phone/verify`, { verificationCode });
      const wrongCode = await verify(another(phoneCode));
      const rightCode = await verify(phoneCode);
      const usedCode = await verify(phoneCode);

      service.kill("SIGTERM");
      await service.logged('"msg":"stopping"');
      stopping.resolve(undefined);
      const ended = await service.ended;
      return {
        ...{ provider, person, wrongCode, rightCode, usedCode, phoneCode, textedSeconds, token },
        ...{ mails: mailServer.mails, texts: webhook.calls, ended },
        wrote: service.stdout() + service.stderr(),
        events: readRows(join(dataDir, "iam.db")),
      };
    } finally {
      await endProcesses();
      await Promise.all([mailServer.down(), webhook.close()]);
    }
  });
}

const providerRequest = {
  name: "Partner",
  issuer: "https://login.example.com",
  clientId: "iam",
  clientSecret: given.clientSecret,
  scopes: ["openid", "email"],
};

function personRequest(configId: string): object {
  return {
    userName: "ada",
    profile: { firstName: "Ada", lastName: "Lovelace", preferredLanguage: "de" },
    email: { email: given.email },
    phone: { phone: given.phone },
    requestPasswordlessRegistration: true,
    idps: [{ configId, externalUserId: "42", displayName: "ada@partner" }],
  };
}

async function post(url: string, token: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** The answer, where the chain cannot go on without it. */
function granted(answer: Answer): Answer {
  if (answer.status === 200) return answer;
  throw new Error(`a call of the chain was refused: ${JSON.stringify(answer.body)}`);
}

/** Rejects when the service ends, so that nobody waits for what it does not do any more. */
async function endOf(service: ServiceProcess): Promise<never> {
  await service.ended;
  throw new Error(`the service ended in the middle of the chain: ${service.stderr()}`);
}

/** The code as a person reads it in an SMS. */
function codeIn({ body }: Call): string {
  const { text } = JSON.parse(body) as { readonly text: string };
  return / ([A-Z0-9]+)\./.exec(text)![1]!;
}

/** A code of the same form that is not this one. */
function another(code: string): string {
  return `${code.startsWith("A") ? "B" : "A"}${code.slice(1)}`;
}
