/** `rowmill apply`: shows what would change, asks, and does it, one thing after the other. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Body, OperationId, Rowmill } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { Problem } from "../frame/problem.ts";
import { askYesNo } from "../frame/questions.ts";
import { formatValue } from "./differences.ts";
import { isChange, planSteps, withConnectionIds } from "./plan.ts";
import type { Step } from "./plan.ts";
import { readSpec } from "./read-spec.ts";
import type { Item, Section } from "./read-spec.ts";
import { plural } from "../frame/numbers.ts";

export interface ApplyOptions {
  dryRun?: true;
  yes?: true;
  saveSecrets?: string;
}

export async function applyFile(cli: Cli, file: string, options: ApplyOptions): Promise<void> {
  const spec = readSpec(file);
  const rowmill = await cli.client();
  const steps = await planSteps(cli, rowmill, spec);
  const changes = steps.filter(isChange);
  const shown = changes.map(({ section, name, id, differences, secretFrom }) => ({
    section,
    name,
    action: id === undefined ? "create" : "change",
    differences: differences.map(({ path, before, after }) =>
      path === "secret" ? { path, from: secretFrom ?? null } : { path, before: before ?? null, after },
    ),
  }));
  const unchanged = steps.length - changes.length;
  if (cli.output.mode === "text") cli.output.note(formatSteps(cli, steps));
  if (changes.length === 0 || options.dryRun === true) {
    cli.output.result({ applied: false, unchanged, changes: shown }, () =>
      changes.length === 0
        ? `Nothing to change: ${steps.length} as the file says.`
        : "Nothing was changed (--dry-run). The service checks the values when they are applied.",
    );
    return;
  }
  await agree(cli, changes.length, options);
  const secrets = options.saveSecrets === undefined ? undefined : openSync(options.saveSecrets, "wx", 0o600);
  const unsaved: string[] = [];
  try {
    for (const step of changes) {
      const secret = await doStep(cli, rowmill, step).catch((error: unknown) => {
        const done = changes.indexOf(step);
        cli.output.note(
          `${titles[step.section]} ${step.name} was not changed; ${done} of ${plural(changes.length, "change")} made.`,
        );
        throw error;
      });
      cli.output.event("applied", { section: step.section, name: step.name });
      if (secret === undefined) continue;
      if (secrets === undefined) unsaved.push(step.name);
      else writeSync(secrets, `${step.section} ${step.name} ${secret}\n`);
    }
  } finally {
    if (secrets !== undefined) closeSync(secrets);
  }
  if (unsaved.length > 0)
    cli.output.note(
      `The signing secrets of ${unsaved.join(", ")} are not shown: rotate them to get new ones, or use --save-secrets next time.`,
    );
  cli.output.result(
    { applied: true, unchanged, changes: shown },
    () => `Done: ${changes.length} changed, ${unchanged} as before.`,
  );
}

async function agree(cli: Cli, count: number, { yes }: ApplyOptions): Promise<void> {
  if (yes === true) return;
  const response = await askYesNo(cli, `Make ${count === 1 ? "this change" : `these ${count} changes`}?`, true);
  if (response === true) return;
  throw new Problem(
    response === undefined ? "Nobody can be asked whether to make these changes." : "Nothing was changed.",
    response === undefined ? "Add --yes, or --dry-run to see them only." : "",
    { exit: "no_consent", code: "not_agreed" },
  );
}

const signs: Readonly<Record<"create" | "change" | "same", string>> = { create: "+", change: "~", same: "=" };
const titles: Record<Section, string> = {
  connections: "connection",
  jobSpecs: "job spec",
  webhookEndpoints: "webhook endpoint",
  alertRules: "alert rule",
};

function formatSteps({ terminal }: Cli, steps: readonly Step[]): string {
  return steps
    .flatMap((step) => {
      const { section, name, id, differences, secretFrom } = step;
      const kind = id === undefined ? "create" : isChange(step) ? "change" : "same";
      const style = kind === "create" ? "green" : kind === "change" ? "yellow" : "dim";
      const head = terminal.style("stderr", style, `${signs[kind]} ${titles[section]} ${name}`);
      const lines = differences.map(({ path, before, after }) => {
        if (path === "secret") return `    secret: ${kind === "create" ? "" : "replaced, "}from ${secretFrom ?? ""}`;
        return `    ${path}: ${kind === "create" ? "" : `${formatValue(before)} → `}${formatValue(after)}`;
      });
      return [head, ...lines];
    })
    .join("\n");
}

/** Returns a signing secret that the service has shown. What the file says goes to the service as it is, which checks it. */
async function doStep(cli: Cli, rowmill: Rowmill, step: Step): Promise<string | undefined> {
  const { signal } = cli;
  const { section, id, wanted } = step;
  switch (section) {
    case "connections": {
      const body = step.secret === undefined ? wanted : { ...wanted, secret: step.secret };
      if (id === undefined) await rowmill.connections.create(as<"createConnection">(body), { signal });
      else await rowmill.connections.update(id, as<"updateConnection">(without(body, ["type"])), { signal });
      return undefined;
    }
    case "jobSpecs": {
      const ids = await connectionIds(cli, rowmill);
      const body = withConnectionIds(wanted, (name) => ids.get(name) ?? name);
      if (id === undefined) await rowmill.jobSpecs.create(as<"createJobSpec">(body), { signal });
      else await changeJobSpec(cli, rowmill, id, body, step);
      return undefined;
    }
    case "webhookEndpoints":
      if (id === undefined)
        return (await rowmill.webhookEndpoints.create(as<"createWebhookEndpoint">(wanted), { signal })).signingSecret;
      await rowmill.webhookEndpoints.update(id, as<"updateWebhookEndpoint">(wanted), { signal });
      return undefined;
    case "alertRules":
      if (id === undefined)
        return (await rowmill.alertRules.create(as<"createAlertRule">(wanted), { signal })).signingSecret ?? undefined;
      await rowmill.alertRules.update(id, as<"updateAlertRule">(wanted), { signal });
      return undefined;
  }
}

const ABOUT_A_JOB_SPEC = ["name", "description", "metadata"];

/** A change of the definition is a new version; runs that go on keep theirs. */
async function changeJobSpec(
  { signal }: Cli,
  rowmill: Rowmill,
  id: string,
  body: Item,
  { differences }: Step,
): Promise<void> {
  const isAbout = (path: string): boolean => ABOUT_A_JOB_SPEC.includes(path.split(".", 1)[0] ?? "");
  const about = Object.fromEntries(Object.entries(body).filter(([name]) => isAbout(name)));
  if (differences.some(({ path }) => isAbout(path)))
    await rowmill.jobSpecs.update(id, as<"updateJobSpec">(about), { signal });
  if (differences.some(({ path }) => !isAbout(path)))
    await rowmill.jobSpecs.versions.create(id, as<"createJobSpecVersion">(without(body, ABOUT_A_JOB_SPEC)), { signal });
}

async function connectionIds({ signal }: Cli, rowmill: Rowmill): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const { name, id } of rowmill.connections.list(undefined, { signal }))
    if (!ids.has(name)) ids.set(name, id);
  return ids;
}

const without = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

/** The service checks what a person has written, and names what is wrong. */
const as = <Id extends OperationId>(item: Item): Body<Id> => item as Body<Id>;
