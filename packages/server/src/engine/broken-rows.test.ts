/** Where rows are written in groups: a row that cannot be written keeps no other of its organization from it, however many such rows there are. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { expireSessions } from "../intake/intake.tasks.ts";
import { newUuid, parseId } from "../platform/ids.ts";
import { rememberFailures } from "../platform/database/failures-by-organization.ts";
import type { FormerFailuresOf } from "../platform/database/failures-by-organization.ts";
import { openFileStore } from "../platform/storage/file-store.ts";
import { recordDeniedAttempts } from "../resources/audit-events/denied-attempts.ts";
import { expireExports } from "../resources/exports/exports.tasks.ts";
import { expireInvitations } from "../resources/invitations/invitations.ts";
import { startTestService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";
import { openWorkerByHand } from "./worker-by-hand-testing.ts";
import type { WorkerByHand } from "./worker-by-hand-testing.ts";

/** More than a pass takes of one organization. */
const BROKEN = 15;
const SOUND = 5;

let service: TestService;
let worker: WorkerByHand;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_ROLE: "api" });
  worker = await openWorkerByHand(service.settings["ROWMILL_DATABASE_URL"] ?? "");
  await service.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'this row is broken'; end $$`);
});
afterAll(() => worker.close());

interface Kind {
  name: string;
  table: string;
  /** Columns of a row that is due, and what is in them. */
  due: string;
  /** Which rows cannot be written. */
  isBroken: string;
  isLeft: string;
  pass: (former: FormerFailuresOf) => Promise<void>;
}

const kinds: Kind[] = [
  {
    name: "exports",
    table: "exports",
    due: `(organization_id, id, run_id, type, format, status, row_count, size_bytes, sha256, storage_key, expires_at, finished_at)
      select $1::uuid, gen_random_uuid(), gen_random_uuid(), case when n <= $2 then 'broken' else 'outputs' end, 'jsonl', 'ready', 0, 0, '', 'k', now(), now()`,
    isBroken: "new.type = 'broken'",
    isLeft: "status = 'ready'",
    pass: async (former) => {
      const store = await openFileStore(service.settings["ROWMILL_DATA_DIR"] ?? "");
      await expireExports({ ...worker, store }, former);
    },
  },
  {
    name: "uploads",
    table: "dataset_uploads",
    due: `(organization_id, id, name, source_type, state, expires_at)
      select $1::uuid, gen_random_uuid(), case when n <= $2 then 'broken' else '' end, 'upload', 'awaiting_content', now()`,
    isBroken: "new.name = 'broken'",
    isLeft: "state = 'awaiting_content'",
    pass: (former) => expireSessions(worker, former("expire")),
  },
  {
    name: "invitations",
    table: "invitations",
    due: `(organization_id, id, email, role, token_digest, state, expires_at)
      select $1::uuid, gen_random_uuid(), case when n <= $2 then 'broken' else '' end || n, 'viewer', uuid_send(gen_random_uuid()), 'pending', now()`,
    isBroken: "new.email like 'broken%'",
    isLeft: "state = 'pending'",
    pass: (former) => expireInvitations(worker.database, former),
  },
];

test.each(kinds)("broken $name keep no sound ones of their organization waiting", async (kind) => {
  const { table, due, isBroken, isLeft, pass } = kind;
  const { organizationId } = await service.newOrganization();
  const owner = parseId("organization", organizationId);
  await service.query(`insert into ${table} ${due} from generate_series(1, $3::int) n`, [
    owner,
    BROKEN,
    BROKEN + SOUND,
  ]);
  await service.query(
    `create trigger refuse before update on ${table} for each row when (${isBroken}) execute function refuse()`,
  );
  const left = async (): Promise<number> =>
    (await service.query(`select from ${table} where organization_id = $1 and ${isLeft}`, [owner])).length;
  const former = rememberFailures();
  // Each leaves out what those before it have found to be broken.
  for (let made = 0; made < 3; made++) await expect(pass(former)).rejects.toThrow("organizations has failed");
  expect(await left()).toBe(BROKEN);
  await service.query(`drop trigger refuse on ${table}`);
  for (let made = 0; made < 3; made++) await pass(former);
  expect(await left()).toBe(0);
});

test("a denied attempt that cannot be recorded keeps none of the organization's other keys waiting", async () => {
  const owner = parseId("organization", (await service.newOrganization()).organizationId);
  const [broken, sound] = [newUuid(), newUuid()];
  const latest = { memberId: null, requestId: "r", ip: null, method: "GET", path: "/", requiredScopes: [] };
  for (const [key, attempt, seconds] of [
    [broken, {}, 600],
    [sound, latest, 300],
  ] as const)
    await service.query(
      `insert into denied_attempts (organization_id, api_key_id, code, recorded_at, unrecorded, latest)
       values ($1, $2, 'forbidden', now() - make_interval(secs => $3), 1, $4)`,
      [owner, key, seconds, attempt],
    );
  await expect(recordDeniedAttempts(worker.database)).rejects.toThrow("organizations has failed");
  const waiting = await service.query(
    "select api_key_id from denied_attempts where organization_id = $1 and unrecorded > 0",
    [owner],
  );
  expect(waiting).toEqual([{ api_key_id: broken }]);
});
