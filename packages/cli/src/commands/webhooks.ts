import { Command, Option } from "@commander-js/extra-typings";
import type { Body } from "@rowmill/client";
import { commaSeparated } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { ago, pageSize, printList } from "../frame/lists.ts";
import { deliveryColumns, printDelivery } from "../frame/deliveries.ts";
import { makeSecret, saveOption } from "../frame/secrets.ts";
import { shownOption } from "../runs/run-options.ts";

const ENDPOINT = "id, beginning of it, its address as it is listed, or @last";

export const webhooks: CommandFile = {
  examples: [
    ["rowmill webhooks", "the endpoints and whether they work"],
    ["rowmill webhooks new https://example.com/hooks --events run.finished --save secret.txt", "a new one"],
    ["rowmill webhooks test @last", "send a test event now, and show what the receiver said"],
    ["rowmill webhooks deliveries --status failed", "what did not arrive"],
    ["rowmill webhooks redeliver whd_01jd3v", "send one of them again"],
    ["rowmill webhooks rotate whe_01jd3v --save secret.txt", "a new signing secret"],
    ["rowmill webhooks delete whe_01jd3v", "delete an endpoint"],
  ],
  create: (cli) =>
    new Command("webhooks")
      .description("List, make and test webhook endpoints, and look at their deliveries.")
      .addOption(shownOption())
      .action(({ limit }) => listEndpoints(cli, limit))
      .addCommand(
        new Command("new")
          .description("Make a webhook endpoint. Its signing secret is shown this once.")
          .argument("<url>", "public https address")
          .addOption(new Option("--events <types>", "event types; run.finished, if absent").argParser(commaSeparated))
          .option("--description <text>", "a note")
          .addOption(saveOption())
          .action((url, options) => newEndpoint(cli, url, options)),
      )
      .addCommand(
        new Command("test")
          .description("Send a test event now, and show the attempt.")
          .argument("<endpoint>", ENDPOINT)
          .action((endpoint) => testEndpoint(cli, endpoint)),
      )
      .addCommand(
        new Command("deliveries")
          .description("List deliveries, the newest first.")
          .argument("[endpoint]", ENDPOINT)
          .addOption(
            new Option("--status <status>", "only these").choices([
              "pending",
              "succeeded",
              "failed",
              "canceled",
            ] as const),
          )
          .addOption(shownOption())
          .action((endpoint, options) => listDeliveries(cli, endpoint, options)),
      )
      .addCommand(
        new Command("redeliver")
          .description("Send the event of a delivery once more.")
          .argument("<delivery>", "id, or the beginning of it")
          .action((delivery) => redeliver(cli, delivery)),
      )
      .addCommand(
        new Command("rotate")
          .description("Make a new signing secret. Deliveries carry the signature of the old one, too, for 24 hours.")
          .argument("<endpoint>", ENDPOINT)
          .addOption(saveOption())
          .action((endpoint, { save }) => rotateSecret(cli, endpoint, save)),
      )
      .addCommand(
        new Command("delete")
          .description("Delete a webhook endpoint. Its delivery records stay.")
          .argument("<endpoint>", ENDPOINT)
          .action((endpoint) => deleteEndpoint(cli, endpoint)),
      ),
};

async function listEndpoints(cli: Cli, limit: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  await printList(cli, rowmill.webhookEndpoints.list({ limit: pageSize(limit) }, { signal: cli.signal }), {
    limit,
    empty: "There are no webhook endpoints: `rowmill webhooks new URL` makes one.",
    columns: [
      ["endpoint", ({ id }) => id],
      ["state", ({ enabled, disabledReason, failingSince }) => stateOf(enabled, disabledReason, failingSince)],
      ["last success", ({ lastSuccessAt }) => ago(lastSuccessAt)],
      ["events", ({ eventTypes }) => eventTypes.join(", ")],
      ["url", ({ url }) => url],
    ],
  });
}

function stateOf(isEnabled: boolean, disabledReason: string | null, failingSince: string | null): string {
  if (!isEnabled) return `disabled (${disabledReason ?? "by_user"})`;
  return failingSince === null ? "enabled" : `failing since ${failingSince}`;
}

interface NewOptions {
  events?: string[];
  description?: string;
  save?: string;
}

async function newEndpoint(
  cli: Cli,
  url: string,
  { events = ["run.finished"], description, save }: NewOptions,
): Promise<void> {
  const rowmill = await cli.client();
  const body = { url, eventTypes: events, ...(description === undefined ? {} : { description }) };
  await makeSecret(cli, save, {
    // The service names the event types that do not exist.
    make: () => rowmill.webhookEndpoints.create(body as Body<"createWebhookEndpoint">, { signal: cli.signal }),
    member: "signingSecret",
    say: ({ id }) => `${id} gets ${events.join(", ")}.`,
  });
}

async function testEndpoint(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "webhook", typed);
  printDelivery(cli, await rowmill.webhookEndpoints.test(id, undefined, { signal: cli.signal }));
}

async function redeliver(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "delivery", typed);
  printDelivery(cli, await rowmill.webhookDeliveries.redeliver(id, { signal: cli.signal }));
}

interface DeliveryOptions {
  status?: "pending" | "succeeded" | "failed" | "canceled";
  limit?: number;
}

async function listDeliveries(
  cli: Cli,
  endpoint: string | undefined,
  { status, limit }: DeliveryOptions,
): Promise<void> {
  const rowmill = await cli.client();
  const query = {
    limit: pageSize(limit),
    ...(status === undefined ? {} : { status }),
    ...(endpoint === undefined ? {} : { webhookEndpointId: await findId(rowmill, "webhook", endpoint) }),
  };
  await printList(cli, rowmill.webhookDeliveries.list(query, { signal: cli.signal }), {
    limit,
    empty: "There are no such deliveries.",
    columns: deliveryColumns,
  });
}

async function rotateSecret(cli: Cli, typed: string, save: string | undefined): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "webhook", typed);
  await makeSecret(cli, save, {
    make: () => rowmill.webhookEndpoints.rotateSecret(id, { signal: cli.signal }),
    member: "signingSecret",
    say: () => `${id} has a new signing secret.`,
  });
}

async function deleteEndpoint(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "webhook", typed);
  await rowmill.webhookEndpoints.delete(id, { signal: cli.signal });
  cli.output.result({ id, deleted: true }, () => `${id} is deleted.`);
}
