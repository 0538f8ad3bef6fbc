import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Child } from "../child.ts";
import type { LoadAnswers } from "../load.ts";
import { type Case, callsMax } from "../rates.ts";
import { serviceRequest } from "../requests.ts";
import { type Service, startService } from "../service.ts";

/** What is measured of the whole service, on a file and on a database. */
export interface Creates {
  readonly cases: readonly Case[];
  stop(): Promise<void>;
}

/** Starts the service on a file and on the empty database of a URL, each in one process. */
export async function startCreates(
  directory: string,
  url: string,
  load: Child<LoadAnswers>,
): Promise<Creates> {
  const key = `bench:${randomBytes(32).toString("base64")}`;
  const settings = { IAM_DATABASE_URL: url, IAM_MASTER_KEY: key };
  const services: (readonly [name: string, service: Service])[] = [];
  const stop = async () => {
    await Promise.all(services.map(([, service]) => service.stop()));
  };
  try {
    services.push(["SQLite", await startService(join(directory, "on-file"))]);
    services.push(["PostgreSQL", await startService(join(directory, "node"), [], settings)]);
  } catch (error) {
    await stop();
    throw error;
  }
  const cases = [1, 64].flatMap((inFlight) =>
    services.map(([name, { target }]): Case => {
      const template = serviceRequest("grpc", "AddAPIApp", target);
      const calls = { port: target.port, template, inFlight, callsMax };
      return {
        name: `AddAPIApp grpc, ${name}`,
        inFlight,
        measure: (pace) => load.ask("run", { ...calls, ...pace }),
      };
    }),
  );
  return { cases, stop };
}
