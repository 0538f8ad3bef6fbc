import type { AdapterPayload } from "oidc-provider";
import { hashSecret } from "../../src/secrets/tokens.ts";
import type { ArtifactRow } from "../../src/store/chain/artifact-mac.ts";
import type { TestServer } from "../harness/server.ts";
import { chosenKind } from "../harness/test-log.ts";

/** The table of artifacts, for who writes it past the service and has no key. */
export interface ArtifactTable {
  /** The row of what has the id. */
  row(model: string, id: string): Promise<ArtifactRow>;
  /** Writes rows, each in place of the one that has its key. */
  put(...rows: readonly ArtifactRow[]): Promise<void>;
  all(): Promise<readonly ArtifactRow[]>;
}

export function artifactTable(
  { sql }: Pick<TestServer, "sql">,
  isFile = chosenKind() === "file",
): ArtifactTable {
  const all = async () => (await sql("SELECT * FROM artifacts")) as unknown as ArtifactRow[];
  return {
    all,
    async row(model, id) {
      const wanted = keyOf(model, id);
      const found = (await all()).find(({ key }) => key === wanted);
      if (found === undefined) throw new Error(`there is no ${model} of that id`);
      return found;
    },
    async put(...rows) {
      const texts = (values: readonly (string | null)[]) => values.map(literal).join(", ");
      const values = rows.map(({ key, alias, family, payload, expires, uses, mac }) => {
        const hex = Buffer.from(mac).toString("hex");
        const bytes = isFile ? `x'${hex}'` : `'\\x${hex}'`;
        return `(${texts([key, alias, family, payload])}, ${expires}, ${uses}, ${bytes})`;
      });
      await sql(`DELETE FROM artifacts WHERE key IN (${texts(rows.map(({ key }) => key))})`);
      await sql(`INSERT INTO artifacts (key, alias, family, payload, expires, uses, mac)
        VALUES ${values.join(", ")}`);
    },
  };
}

export function keyOf(model: string, id: string): string {
  return `${model}:${hashSecret(id)}`;
}

/** The row with some members of its payload changed. */
export function changed(row: ArtifactRow, members: AdapterPayload): ArtifactRow {
  return { ...row, payload: JSON.stringify({ ...payloadOf(row), ...members }) };
}

export function payloadOf({ payload }: ArtifactRow): AdapterPayload {
  return JSON.parse(payload) as AdapterPayload;
}

function literal(text: string | null): string {
  return text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`;
}
