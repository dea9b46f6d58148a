import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { newPlace, runCommand, runInTerminal } from "../testing/command-process.ts";

const service = await startTestService({ ROWMILL_MODE: "development" });

const FILE = `
connections:
  - name: models
    type: openai_compatible
    baseUrl: https://api.openai.com/v1
    secretFrom: MODELS_KEY
    prices: list
jobSpecs:
  - name: Industry
    processor:
      type: llm
      connection: models
      model: gpt-5-mini
      messages:
        - role: user
          content: "Which industry is {{row.company}} in?"
webhookEndpoints:
  - description: Ends of runs
    url: http://localhost:3000/hooks
    eventTypes: [run.finished]
alertRules:
  - name: Runs that fail
    eventType: run.failed
    destination: { type: webhook, url: "http://localhost:3000/alerts" }
`;

async function newUser(text = FILE) {
  const { apiKey } = await service.newOrganization();
  const place = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey, MODELS_KEY: "sk-0123456789abcdef" });
  const write = (content: string): void => writeFileSync(join(place.folder, "rowmill.yaml"), content);
  write(text);
  return { place, write, rowmill: new Rowmill({ apiKey, baseUrl: service.url }) };
}

test("apply shows what would change, makes it, and changes nothing the second time", async () => {
  const { place, rowmill } = await newUser();
  const dry = await runCommand(place, "apply", "rowmill.yaml", "--dry-run");
  expect(dry).toMatchObject({ code: 0 });
  for (const line of [
    "+ connection models",
    "+ job spec Industry",
    "+ webhook endpoint",
    "+ alert rule Runs that fail",
    '    baseUrl: "https://api.openai.com/v1"',
    "    secret: from MODELS_KEY",
    '    processor.model: "gpt-5-mini"',
    '    destination.type: "webhook"',
  ])
    expect(dry.stderr).toContain(line);
  expect(dry.stderr).not.toContain("sk-0123456789abcdef");
  expect((await rowmill.connections.list()).data).toEqual([]);

  const done = await runCommand(place, "apply", "rowmill.yaml", "--yes", "--save-secrets", "secrets.txt");
  expect(done).toMatchObject({ code: 0 });
  const [connection] = (await rowmill.connections.list()).data;
  expect(connection).toMatchObject({
    name: "models",
    hasSecret: true,
    priceList: { ageDays: expect.any(Number) as number },
  });
  expect((await rowmill.jobSpecs.list()).data).toMatchObject([
    { name: "Industry", latestVersion: 1, processor: { connection: connection?.id } },
  ]);
  const secrets = join(place.folder, "secrets.txt");
  expect(readFileSync(secrets, "utf8")).toMatch(/webhookEndpoints Ends of runs whsec_/);
  expect(statSync(secrets).mode & 0o077).toBe(0);
  expect(done.stdout + done.stderr + dry.stderr).not.toMatch(/sk-0123|whsec_/);

  const again = await runCommand(place, "apply", "rowmill.yaml", "--yes", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ applied: false, unchanged: 4, changes: [] });
});

test("a change is shown member by member; a changed definition is a new version of the job spec", async () => {
  const { place, write, rowmill } = await newUser();
  expect((await runCommand(place, "apply", "rowmill.yaml", "--yes")).code).toBe(0);
  write(FILE.replace("gpt-5-mini", "gpt-5-nano").replace("[run.finished]", "[run.finished, export.ready]"));
  const place2 = { ...place, environment: { ...place.environment, MODELS_KEY: "sk-another-9876543210" } };
  const changed = await runCommand(place2, "apply", "rowmill.yaml", "--yes");
  expect(changed).toMatchObject({ code: 0 });
  expect(changed.stderr).toContain('processor.model: "gpt-5-mini" → "gpt-5-nano"');
  expect(changed.stderr).toContain('eventTypes: ["run.finished"] → ["run.finished","export.ready"]');
  expect(changed.stderr).toContain("secret: replaced");
  expect(changed.stderr).toContain("= alert rule Runs that fail");
  expect((await rowmill.jobSpecs.list()).data).toMatchObject([
    { latestVersion: 2, processor: { model: "gpt-5-nano" } },
  ]);
  expect((await rowmill.connections.list()).data).toMatchObject([{ redactedSecret: "…3210" }]);
});

test("a receiver's URL, which may be a secret, is the same the second time and is never printed", async () => {
  const receivers = FILE.replace("3000/hooks", "3000/hooks/of-a-secret-0001").replace(
    "3000/alerts",
    "3000/alerts/of-a-secret-0002",
  );
  const { place, write } = await newUser(receivers);
  expect((await runCommand(place, "apply", "rowmill.yaml", "--yes")).code).toBe(0);
  const again = await runCommand(place, "apply", "rowmill.yaml", "--yes", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ applied: false, unchanged: 4, changes: [] });
  write(receivers.replaceAll("of-a-secret-000", "of-another-secret-1"));
  const changed = await runCommand(place, "apply", "rowmill.yaml", "--yes");
  expect(changed.stderr).toContain('url: "http://localhost:3000/…/0001" → "http://localhost:3000/…/t-11"');
  expect(changed.stderr).toContain('destination.url: "http://localhost:3000/…/0002" → "http://localhost:3000/…/t-12"');
  expect(changed.stdout + changed.stderr).not.toContain("secret-");
});

test("it asks in a terminal, and without one it stops before it changes anything", async () => {
  const { place, rowmill } = await newUser();
  const unasked = await runCommand(place, "apply", "rowmill.yaml");
  expect(unasked).toMatchObject({ code: 6 });
  expect(unasked.stderr).toContain("--yes");
  const refused = await runInTerminal(place, ["apply", "rowmill.yaml"], [["Make these 4 changes? [Y/n]", "n\r"]]);
  expect({ code: refused.code, screen: refused.screen }).toMatchObject({ code: 6 });
  expect((await rowmill.connections.list()).data).toEqual([]);
  const agreed = await runInTerminal(place, ["apply", "rowmill.yaml"], [["Make these 4 changes? [Y/n]", "y\r"]]);
  expect({ code: agreed.code, screen: agreed.screen }).toMatchObject({ code: 0 });
});

test("integers of schemas keep every digit, and one that differs in the last is a change", async () => {
  const { place, write, rowmill } = await newUser();
  const file = (maximum: string): string =>
    `jobSpecs:\n  - name: Ids\n    processor: {type: mock}\n    outputSchema: {minimum: 0x10, maximum: ${maximum}}\n`;
  const shown = async (): Promise<string[]> => {
    const texts: string[] = [];
    const parseJson = (text: string): unknown => {
      texts.push(text);
      return JSON.parse(text);
    };
    await rowmill.jobSpecs.list(undefined, { parseJson });
    return texts;
  };
  write(file("9223372036854775807"));
  expect(await runCommand(place, "apply", "rowmill.yaml", "--yes")).toMatchObject({ code: 0 });
  expect((await shown()).join("")).toContain('"outputSchema":{"minimum":16,"maximum":9223372036854775807}');
  expect((await runCommand(place, "apply", "rowmill.yaml", "--yes")).stdout).toContain("Nothing to change");
  write(file("9223372036854775806"));
  const changed = await runCommand(place, "apply", "rowmill.yaml", "--yes");
  expect(changed.stdout + changed.stderr).toContain("outputSchema.maximum: 9223372036854775807 → 9223372036854775806");
  expect((await shown()).join("")).toContain('"maximum":9223372036854775806');
});

test("a wrong file says what is wrong and where", async () => {
  const { place, write } = await newUser();
  for (const [text, says] of [
    ["connections: [", "is not YAML"],
    ["conections: []", 'Did you mean "connections"? Sections are'],
    ["specs: []", 'Did you mean "jobSpecs"? Sections are'],
    ["job_specs: []", 'Did you mean "jobSpecs"? Sections are'],
    ["webhooks: []", 'Did you mean "webhookEndpoints"? Sections are'],
    ["something: []", 'unknown section "something".\n  Sections are'],
    ["connections:\n  - type: http", "has no name"],
    ["jobSpecs:\n  - name: a\n  - name: a", "twice"],
    ["- a", "not a table"],
    [
      "jobSpecs:\n  - name: a\n    processor: {body: {account: 12345678901234567890}}",
      "Write it as text, in quotation",
    ],
    ["jobSpecs:\n  - name: a\n    processor: {body: {maximum: 9007199254740993}}", "Write it as text, in quotation"],
    [FILE.replace("secretFrom: MODELS_KEY", "secret: sk-0123456789abcdef"), "has a secret in the file"],
  ] as const) {
    write(text);
    const { code, stderr } = await runCommand(place, "apply", "rowmill.yaml", "--yes");
    expect([says, code, stderr.includes(says)]).toEqual([says, 2, true]);
    expect(stderr).not.toContain("sk-0123");
    expect(stderr).toMatch(/^rowmill: .+\.\n {2}.+\n$/);
  }
  write(FILE.replace("MODELS_KEY", "NO_SUCH_KEY"));
  expect(await runCommand(place, "apply", "rowmill.yaml", "--yes")).toMatchObject({ code: 4 });
  write(FILE.replace("gpt-5-mini", "5"));
  const invalid = await runCommand(place, "apply", "rowmill.yaml", "--yes");
  expect(invalid.code).toBe(2);
  expect(invalid.stderr).toContain("processor");
  expect(await runCommand(place, "apply", "missing.yaml")).toMatchObject({ code: 2 });
});

test("the file of a job spec names its connection, too, in `specs new` and in `map --spec`", async () => {
  const { place, rowmill } = await newUser();
  const { id } = await rowmill.connections.create({
    type: "openai_compatible",
    name: "models",
    baseUrl: "https://api.openai.com/v1",
    prices: "list",
  });
  const messages = [{ role: "user", content: "Which industry is {{row.company}} in?" }];
  const processor = { type: "llm", connection: "models", model: "gpt-5-mini", messages };
  writeFileSync(join(place.folder, "spec.json"), JSON.stringify({ processor }));
  const made = await runCommand(place, "specs", "new", "spec.json", "--name", "Industry", "--json");
  expect(JSON.parse(made.stdout)).toMatchObject({ processor: { connection: id } });
  writeFileSync(join(place.folder, "in.csv"), "company\nAcorn\n");
  const priced = await runCommand(place, "map", "in.csv", "--spec", "spec.json", "-o", "out.csv");
  expect(priced).toMatchObject({ code: 6, stderr: expect.stringContaining("agree to the price: 1 row: $") as string });
  writeFileSync(
    join(place.folder, "other.json"),
    JSON.stringify({ processor: { ...processor, connection: "mdoels" } }),
  );
  expect(await runCommand(place, "map", "in.csv", "--spec", "other.json")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no connection "mdoels".') as string,
  });
});
