/** Requests to a process whose clock is a day off: ids, times and ends follow the clock of the database. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Run } from "@rowmill/contract/runs";
import { newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";

const HOUR_MS = 3_600_000;
/** What the test may take on a busy machine. */
const NEAR_MS = HOUR_MS / 4;

const service = await startTestService({ ROWMILL_UPLOAD_EXPIRY_HOURS: "1", ROWMILL_INVITATION_EXPIRY_HOURS: "1" });

afterEach(() => {
  vi.useRealTimers();
});

const setClockOff = (byMs: number) => vi.useFakeTimers({ now: Date.now() + byMs, toFake: ["Date"] });
/** Of the real time, once the clock is right again. */
const distance = (time: string | null): number => Math.abs(Date.parse(String(time)) - Date.now());
const timeIn = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe.each([
  ["ahead", 25 * HOUR_MS],
  ["behind", -25 * HOUR_MS],
])("a clock that is %s", (_where, byMs) => {
  test("changes neither the order of a list nor what a filter by time finds", async () => {
    const { api } = await service.newOrganization();
    const dataset = await newDataset(api, numberedRows(1));
    const jobSpec = await newJobSpec(api, { type: "mock" });
    const made: Run[] = [];
    for (const off of [0, byMs, 0]) {
      if (off !== 0) setClockOff(off);
      made.unshift(await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id }));
      vi.useRealTimers();
    }
    for (const filter of ["", `?createdAfter=${timeIn(-NEAR_MS)}`, `?createdBefore=${timeIn(NEAR_MS)}`]) {
      const { body } = await api<{ data: Run[] }>("GET", `/v1/runs${filter}`);
      expect(body.data.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    }
    for (const { createdAt } of made) expect(distance(createdAt)).toBeLessThan(NEAR_MS);
  });

  test("lets a key work until its end, and no longer", async () => {
    const { api, organizationId } = await service.newOrganization();
    const path = `/v1/organizations/${organizationId}/api-keys`;
    const newKey = async (expiresAt: string) =>
      (await api<CreatedApiKey>("POST", path, { body: { name: "Short", scopes: ["runs:read"], expiresAt } })).body.key;
    const [lasting, ended] = [await newKey(timeIn(HOUR_MS)), await newKey(timeIn(HOUR_MS))];
    await service.query("update api_keys set expires_at = now() where id = (select max(id::text)::uuid from api_keys)");
    setClockOff(byMs);
    const replies = [await api("GET", "/v1/runs", { key: lasting }), await api("GET", "/v1/runs", { key: ended })];
    const past = new Date(Date.now() - byMs - NEAR_MS).toISOString();
    replies.push(await api("POST", path, { body: { name: "Past", scopes: ["runs:read"], expiresAt: past } }));
    vi.useRealTimers();
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 400]);
  });

  test("gives what ends later its whole time, and takes deadlines that lie in the future only", async () => {
    const { api, organizationId } = await service.newOrganization();
    const dataset = await newDataset(api, numberedRows(1));
    const jobSpec = await newJobSpec(api, { type: "mock" });
    const work = { datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } };
    const [future, past] = [timeIn(NEAR_MS), timeIn(-NEAR_MS)];
    setClockOff(byMs);
    const upload = await api<{ upload: { expiresAt: string } }>("POST", "/v1/dataset-uploads", {
      body: { name: "Later", source: { type: "upload" } },
    });
    const invitation = await api("POST", `/v1/organizations/${organizationId}/invitations`, {
      body: { email: "ada@example.com", role: "viewer" },
    });
    const soon = await api("POST", "/v1/runs", { body: { ...work, deadlineAt: future } });
    const late = await api("POST", "/v1/runs", { body: { ...work, deadlineAt: past } });
    vi.useRealTimers();
    for (const expiresAt of [upload.body.upload.expiresAt, invitation.body.expiresAt])
      expect(Math.abs(Date.parse(String(expiresAt)) - Date.now() - HOUR_MS)).toBeLessThan(NEAR_MS);
    expect([soon.status, late.status]).toEqual([201, 400]);
  });
});
