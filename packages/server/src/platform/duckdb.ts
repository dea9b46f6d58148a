/**
 * DuckDB, which is native code, for work on strangers' bytes: it may open the files that are named, spill to one directory,
 * and nothing else. Only for processes of their own (`watched-process.ts`): what it does to its process is not the server's.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

/** DuckDB works on 2 048 rows at a time: at rows of 200 KB it needs 400 MB for them. The process takes some 300 MB more. */
const MEMORY_LIMIT = "1GB";
/** Nothing that is asked here sorts or joins; spilled pages are the exception. */
const SPILL_LIMIT = "1GB";

export async function openDuckDb(files: readonly string[], spillDirectory: string): Promise<DuckDBConnection> {
  // Each name as the pattern that is opened, and as the file that it matches.
  const allowedPaths = files.flatMap((file) => [escapePattern(file), file]);
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: MEMORY_LIMIT });
  const connection = await instance.connect();
  // One after the other, and the lock last: behind it no setting can be changed. Options of `create` take no lists.
  const settings = [
    `set allowed_paths = [${allowedPaths.map(quoteText).join(", ")}]`,
    `set temp_directory = ${quoteText(spillDirectory)}`,
    `set max_temp_directory_size = '${SPILL_LIMIT}'`,
    "set autoinstall_known_extensions = false",
    "set autoload_known_extensions = false",
    "set allow_community_extensions = false",
    "set preserve_insertion_order = true",
    "set enable_external_access = false",
    "set lock_configuration = true",
  ];
  for (const setting of settings) await connection.run(setting);
  return connection;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** DuckDB takes file names for patterns, also as parameters. */
export function escapePattern(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}
