/** The plain table that runs and queues are compared with, and `COPY` into and out of it by one client. */
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";

export const outputTable = (name: string): string =>
  `create table ${name} (run_id int, idx int, state smallint, output jsonb, primary key (run_id, idx))`;

/** Lines as `\copy` reads them, one for each output. */
export async function writeCopyFile(
  path: string,
  count: number,
  outputsFrom: (index: number) => Promise<readonly string[]>,
): Promise<void> {
  const file = await open(path, "w");
  for (let at = 0; at < count;) {
    const outputs = await outputsFrom(at);
    let text = "";
    for (const output of outputs) text += `1\t${at++}\t1\t${output.replaceAll("\\", "\\\\")}\n`;
    await file.write(text);
  }
  await file.close();
}

/** Seconds of a `COPY` of the file into a new table, which stays. */
export async function copyIn(connectionString: string, table: string, path: string): Promise<number> {
  return withClient(connectionString, async (client) => {
    await client.query(`drop table if exists ${table}`);
    await client.query(outputTable(table));
    const startedAt = performance.now();
    await pipeline(createReadStream(path), client.query(copyFrom(`copy ${table} from stdin`)));
    return (performance.now() - startedAt) / 1000;
  });
}

const FILE_TABLES = {
  csv: {
    columns: "id int primary key, name text, city text, zip text, amount float8, active bool, note text",
    options: "(format csv, header)",
  },
  jsonl: { columns: "doc jsonb", options: "(format csv, quote e'\\x01', delimiter e'\\x02')" },
};

/** Seconds of a `COPY` of a file of rows as it is. */
export async function copyFile(connectionString: string, format: "csv" | "jsonl", path: string): Promise<number> {
  const { columns, options } = FILE_TABLES[format];
  return withClient(connectionString, async (client) => {
    await client.query(`drop table if exists copied_file; create table copied_file (${columns})`);
    const startedAt = performance.now();
    await pipeline(createReadStream(path), client.query(copyFrom(`copy copied_file from stdin ${options}`)));
    const seconds = (performance.now() - startedAt) / 1000;
    await client.query("drop table copied_file");
    return seconds;
  });
}

/** Seconds of a `COPY … TO` into a file that is flushed. */
export async function copyOut(connectionString: string, query: string, path: string): Promise<number> {
  return withClient(connectionString, async (client) => {
    const startedAt = performance.now();
    await pipeline(client.query(copyTo(query)), createWriteStream(path, { flush: true }));
    return (performance.now() - startedAt) / 1000;
  });
}

export async function withClient<T>(connectionString: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
