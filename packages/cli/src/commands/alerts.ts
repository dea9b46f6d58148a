import { Command } from "@commander-js/extra-typings";
import type { AlertRule, Body } from "@rowmill/client";
import { readJsonObject } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { deliveryColumns, printDelivery } from "../frame/deliveries.ts";
import { findId } from "../frame/find.ts";
import { pageSize, printList } from "../frame/lists.ts";
import { makeSecret, saveOption } from "../frame/secrets.ts";
import { shownOption } from "../runs/run-options.ts";

const RULE = "id, beginning of it, name, or @last";

export const alerts: CommandFile = {
  examples: [
    ["rowmill alerts", "the alert rules and where they lead"],
    ["rowmill alerts new rule.json", 'a rule such as {"name": …, "eventType": "run.failed", "destination": {…}}'],
    ["rowmill alerts test @last", "send a test alert now"],
    ["rowmill alerts deliveries", "the alerts that were sent"],
    ["rowmill alerts delete alr_01jd3v", "delete a rule"],
  ],
  create: (cli) =>
    new Command("alerts")
      .description("List, make and test alert rules, and look at what was sent.")
      .addOption(shownOption())
      .action(({ limit }) => listRules(cli, limit))
      .addCommand(
        new Command("new")
          .description("Make an alert rule.")
          .argument("<file>", "its body as JSON; - for stdin")
          .addOption(saveOption())
          .action((file, { save }) => newRule(cli, file, save)),
      )
      .addCommand(
        new Command("test")
          .description("Send a test alert now.")
          .argument("<rule>", RULE)
          .action((rule) => testRule(cli, rule)),
      )
      .addCommand(
        new Command("deliveries")
          .description("List alerts that were sent, the newest first.")
          .argument("[rule]", RULE)
          .addOption(shownOption())
          .action((rule, { limit }) => listDeliveries(cli, rule, limit)),
      )
      .addCommand(
        new Command("delete")
          .description("Delete an alert rule.")
          .argument("<rule>", RULE)
          .action((rule) => deleteRule(cli, rule)),
      ),
};

async function listRules(cli: Cli, limit: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  await printList(cli, rowmill.alertRules.list({ limit: pageSize(limit) }, { signal: cli.signal }), {
    limit,
    empty: "There are no alert rules: `rowmill alerts new FILE` makes one.",
    columns: [
      ["rule", ({ id }) => id],
      ["state", ({ enabled }) => (enabled ? "enabled" : "disabled")],
      ["event", ({ eventType }) => eventType],
      ["to", destinationOf],
      ["name", ({ name }) => name],
    ],
  });
}

const destinationOf = ({ destination }: AlertRule): string =>
  destination.type === "email" ? destination.to.join(", ") : `${destination.type} ${destination.url}`;

async function newRule(cli: Cli, file: string, save: string | undefined): Promise<void> {
  const body = await readJsonObject(cli.terminal, file);
  const rowmill = await cli.client();
  await makeSecret(cli, save, {
    // The service validates what the file contains.
    make: () => rowmill.alertRules.create(body as Body<"createAlertRule">, { signal: cli.signal }),
    member: "signingSecret",
    say: ({ id, name }) => `${id} ${name} is made.`,
  });
}

async function testRule(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "alert", typed);
  printDelivery(cli, await rowmill.alertRules.test(id, { signal: cli.signal }));
}

async function listDeliveries(cli: Cli, typed: string | undefined, limit: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  const query = {
    limit: pageSize(limit),
    ...(typed === undefined ? {} : { alertRuleId: await findId(rowmill, "alert", typed) }),
  };
  await printList(cli, rowmill.alertDeliveries.list(query, { signal: cli.signal }), {
    limit,
    empty: "No alert has been sent.",
    columns: deliveryColumns,
  });
}

async function deleteRule(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "alert", typed);
  await rowmill.alertRules.delete(id, { signal: cli.signal });
  cli.output.result({ id, deleted: true }, () => `${id} is deleted.`);
}
