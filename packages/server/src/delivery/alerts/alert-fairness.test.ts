/** Which rule is evaluated next: organizations share the evaluation first, and the rules within each of them afterwards. */
import { afterAll, expect, test } from "vitest";
import type { Conditions } from "../../platform/conditions/conditions.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { createTasks } from "../../platform/database/tenants.ts";
import { newUuid, parseId } from "../../platform/ids.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization } from "../../testing/service.ts";
import { createRuleEvaluator } from "./evaluate-rules.ts";

/** Only the tests evaluate. */
const service = await startTestService({ ROWMILL_ROLE: "api" });
const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 2, onError: () => {} });
afterAll(() => database.close());

/** Rules with a filter and so many events to evaluate; an event that is not kept any more becomes no alert. */
async function addRules({ organizationId }: TestOrganization, rules: number, events: number): Promise<string> {
  const id = parseId("organization", organizationId) ?? "";
  const ruleIds = Array.from({ length: rules }, newUuid);
  await service.query(
    `insert into alert_rules (organization_id, id, name, event_type, filter, trigger, cooldown_seconds, destination)
     select $1, unnest($2::uuid[]), 'n', 'run.succeeded', 'true', '{"type":"each"}', 0, '{"type":"email","to":["a@example.com"]}'`,
    [id, ruleIds],
  );
  await service.query(
    `insert into alert_candidates (organization_id, alert_rule_id, event_id)
     select $1, r, gen_random_uuid() from unnest($2::uuid[]) r, generate_series(1, $3)`,
    [id, ruleIds, events],
  );
  return id;
}

/** An evaluator whose conditions match nothing; reports which organization and rule were asked, in order. */
function newEvaluator() {
  const asked: { organizationId: string; ownerId: string }[] = [];
  const conditions: Conditions = {
    workers: 1,
    check: async () => undefined,
    evaluate: async (_condition, inputs, party) => {
      asked.push(party);
      return { results: inputs.map(() => "no_match"), firstError: null, isTooExpensive: false };
    },
    evaluateRows: () => expect.fail("alert rules have no rows"),
    close: async () => {},
  };
  const tasks = createTasks(database, undefined);
  const evaluateNext = createRuleEvaluator({ database, tasks, conditions, publicUrl: () => "", firstDelaySeconds: 0 });
  return { asked, evaluateNext };
}

test("an organization with many rules and events does not keep the rule of another one waiting", async () => {
  const many = await addRules(await service.newOrganization(), 40, 300);
  const { asked, evaluateNext } = newEvaluator();
  // The first comes alone, and has used time when the other one comes.
  for (let round = 0; round < 5; round++) expect(await evaluateNext()).toBe(true);
  const one = await addRules(await service.newOrganization(), 1, 1);
  for (let round = 0; round < 2; round++) expect(await evaluateNext()).toBe(true);
  expect(asked.slice(0, 5).every(({ organizationId }) => organizationId === many)).toBe(true);
  expect(asked.slice(5).map(({ organizationId }) => organizationId)).toContain(one);
  // Everything is evaluated in the end, and within an organization each rule after the one before it.
  while (await evaluateNext());
  const rulesOfMany = asked.filter(({ organizationId }) => organizationId === many).map(({ ownerId }) => ownerId);
  expect(new Set(rulesOfMany.slice(0, 40)).size).toBe(40);
  expect(rulesOfMany).toHaveLength(80);
  expect(await service.query("select 1 from alert_candidates")).toEqual([]);
});

test("a rule whose turn was claimed by another worker, or waits after a costly filter, is passed over", async () => {
  const [busy, free] = [await service.newOrganization(), await service.newOrganization()];
  const busyId = await addRules(busy, 3, 1);
  await service.query("update alert_rules set leased_until = now() + interval '1 hour' where organization_id = $1", [
    busyId,
  ]);
  const freeId = await addRules(free, 1, 1);
  const { asked, evaluateNext } = newEvaluator();
  expect([await evaluateNext(), await evaluateNext()]).toEqual([true, false]);
  expect(asked.map(({ organizationId }) => organizationId)).toEqual([freeId]);
});

test("a worker of the version before, which knows another column, and one of this version keep to one lease", async () => {
  const organizationId = await addRules(await service.newOrganization(), 1, 1);
  const set = (assignment: string) =>
    service.query(`update alert_rules set ${assignment} where organization_id = $1`, [organizationId]);
  const leases = () =>
    service.query<{ ours: Date | null; before: Date | null }>(
      "select leased_until as ours, judged_until as before from alert_rules where organization_id = $1",
      [organizationId],
    );
  const { evaluateNext } = newEvaluator();
  await set("judged_until = now() + interval '1 hour'");
  expect(await evaluateNext()).toBe(false);
  await set("judged_until = null");
  expect(await leases()).toEqual([{ ours: null, before: null }]);
  await set("leased_until = now() + interval '1 hour'");
  const [lease] = await leases();
  expect(lease?.before).toEqual(lease?.ours);
  expect(lease?.before).toBeInstanceOf(Date);
  await set("leased_until = null");
  expect(await evaluateNext()).toBe(true);
  expect(await leases()).toEqual([{ ours: null, before: null }]);
});
