/** Everything that was acknowledged, looked at together: nothing lost, nothing doubled, nothing left over. */
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "@rowmill/contract/runs";
import { readList } from "./client.ts";
import type { Deployment } from "./deployment.ts";
import { filesIn, folderOfFiles, missingPathOf, restartWorker } from "./files.ts";
import { compareOnce, until } from "./findings.ts";
import type { Finding } from "./findings.ts";
import { checkFile } from "./phases/export.ts";
import type { World } from "./crash-world.ts";

/** Files read again by one check: all of them would take longer with each trial. */
const FILES_AGAIN = 5;
/** Above the age at which the service takes a content for left behind. */
const SWEPT_AGE_MS = 2 * 3_600_000;
const SWEEP_BOUND_MS = 120_000;

/** Rows that belong to nothing, and work that nobody has: none of them may be there when all runs have ended. */
const LEFT_OVER: Record<string, string> = {
  "chunks that are still claimed": "select count(*)::int as n from run_chunks where state in ('running', 'submitted')",
  "chunks without a run": "select count(*)::int as n from run_chunks where run_id not in (select id from runs)",
  "segments without a run": "select count(*)::int as n from run_segments where run_id not in (select id from runs)",
  "failures without a run": "select count(*)::int as n from run_failures where run_id not in (select id from runs)",
  "budgets without a run": "select count(*)::int as n from run_budgets where run_id not in (select id from runs)",
  "chunks without a dataset":
    "select count(*)::int as n from dataset_chunks where dataset_id not in (select id from datasets)",
  "runs without their chunks' results": `select count(*)::int as n from run_chunks c left join (
       select run_id, chunk_no, sum(row_count) as rows from run_segments group by run_id, chunk_no
     ) s on s.run_id = c.run_id and s.chunk_no = c.chunk_no where c.state = 'done' and c.succeeded <> coalesce(s.rows, 0)`,
  "idempotency keys without a response": "select count(*)::int as n from idempotency_keys where status is null",
};

export async function checkAll(world: World): Promise<Finding[]> {
  const { client, ledger, deployment } = world;
  const ids = async (path: string): Promise<string[]> =>
    (await readList<{ id: string }>(client, path)).map(({ id }) => id);
  const findings = [
    ...compareOnce(
      "uploads",
      ledger.uploads.map(({ id }) => id),
      await ids("/v1/dataset-uploads"),
    ),
    ...compareOnce(
      "datasets",
      ledger.uploads.filter(({ isDeleted }) => isDeleted !== true).map(({ datasetId }) => datasetId),
      await ids("/v1/datasets"),
    ),
    ...compareOnce(
      "exports",
      [...ledger.exports.map(({ id }) => id), ...ledger.expiredExports],
      await ids("/v1/exports"),
    ),
    ...(await checkRuns(world)),
    ...(await checkFilesAgain(world)),
    ...(await checkFolders(world)),
  ];
  for (const [what, statement] of Object.entries(LEFT_OVER)) {
    const [row] = await deployment.database.query<{ n: number }>(statement);
    if (row?.n !== 0) findings.push({ kind: "orphan", what: `${row?.n} ${what}` });
  }
  for (const text of client.internalErrors())
    findings.push({ kind: "wrong", what: `response 500: ${text}\n${logOf(text, deployment)}` });
  return findings;
}

/** What the service that gave the response has logged of it. */
function logOf(response: string, { members }: World["deployment"]): string {
  const requestId = /"requestId":"([^"]+)"/.exec(response)?.[1];
  const lines = members.flatMap(({ process }) => process.log());
  return lines.find((line) => requestId !== undefined && line.includes(requestId)) ?? "No log has the request.";
}

async function checkRuns({ client, ledger }: World): Promise<Finding[]> {
  const found = await readList<Run>(client, "/v1/runs");
  const findings = compareOnce(
    "runs",
    ledger.runs.map(({ id }) => id),
    found.map(({ id }) => id),
  );
  const facts = new Map(ledger.runs.map((fact) => [fact.id, fact]));
  for (const { id, state, rows } of found) {
    const fact = facts.get(id);
    if (fact === undefined) continue;
    const { total, succeeded, failed } = rows;
    if (total !== fact.total || succeeded !== fact.succeeded || failed !== fact.failed)
      findings.push({
        kind: "lost",
        what: `run ${id} was ${JSON.stringify(fact)}, and is ${state} ${JSON.stringify(rows)}`,
      });
  }
  return findings;
}

async function checkFilesAgain(world: World): Promise<Finding[]> {
  const { ledger, random } = world;
  const findings: Finding[] = [];
  for (let i = 0; i < Math.min(FILES_AGAIN, ledger.exports.length); i++) {
    const { id, sha256 } = random.pick(ledger.exports);
    findings.push(...(await checkFile(world, id, sha256)));
  }
  return findings;
}

/** One file for each export, and none for anything else once the sweep has come by. */
async function checkFolders({ deployment, ledger }: World): Promise<Finding[]> {
  const ofExports = (await filesIn(deployment)).filter((file) => file.startsWith("exports/"));
  const left = await sweep(deployment);
  return [
    ...compareOnce(
      "files of exports",
      ledger.exports.map(({ id }) => id),
      ofExports.map((file) => file.split("/")[2] ?? ""),
    ),
    ...left.map((file): Finding => ({ kind: "orphan", what: `the file ${file} was not swept` })),
  ];
}

const contentsIn = async (deployment: Deployment): Promise<string[]> =>
  (await filesIn(deployment)).filter((file) => file.startsWith("dataset-uploads/"));

/**
 * A process that dies between a transaction and the deletion of a file leaves the file for a sweep, which takes what is older than an
 * hour when a worker starts. As if that hour had passed; returns what is left all the same.
 */
async function sweep(deployment: Deployment): Promise<string[]> {
  const contents = await contentsIn(deployment);
  if (contents.length === 0) return [];
  const longAgo = new Date(Date.now() - SWEPT_AGE_MS);
  for (const file of contents)
    await utimes(join(folderOfFiles(deployment), file), longAgo, longAgo).catch((error: unknown) => {
      // The service has deleted it meanwhile.
      if (missingPathOf(error) === undefined) throw error;
    });
  await restartWorker(deployment);
  const isSwept = async (): Promise<true | undefined> =>
    (await contentsIn(deployment)).length === 0 ? true : undefined;
  await until("the sweep", SWEEP_BOUND_MS, isSwept).catch(() => undefined);
  return contentsIn(deployment);
}
