import { Command } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import { beginningOf } from "../frame/deliveries.ts";
import { resolveId } from "../frame/ids.ts";
import { Problem, usageProblem } from "../frame/problem.ts";

export const trigger: CommandFile = {
  examples: [
    ["rowmill trigger run.finished", "a sample event, signed, to the receiver of the last `rowmill listen`"],
    ["rowmill trigger export.ready --forward-to http://localhost:3000/hooks", "to another receiver on this machine"],
    [
      "rowmill trigger run.failed --endpoint whe_01jd3v8m7qe6t9yb4c2xk5w0hz",
      "by the service, to one of its webhook endpoints",
    ],
  ],
  create: (cli) =>
    new Command("trigger")
      .description("Send a sample event of a type. It has `test: true`, and its ids belong to nothing.")
      .argument("<type>", "such as run.finished")
      .option("--forward-to <url>", "a receiver on this machine")
      .option("--endpoint <endpoint>", "a webhook endpoint of the service: its id, or the beginning of it")
      .action((type, options) => send(cli, type, options)),
};

async function send(cli: Cli, type: string, options: { forwardTo?: string; endpoint?: string }): Promise<void> {
  const { forwardTo, endpoint } = options;
  if (endpoint === undefined) return sendHere(cli, type, forwardTo);
  if (forwardTo !== undefined)
    throw usageProblem("--endpoint and --forward-to exclude each other.", "Name one receiver.");
  const rowmill = await cli.client();
  const id = await resolveId("webhook endpoint", "whe", endpoint, () => rowmill.webhookEndpoints.list());
  const delivery = await rowmill.webhookEndpoints.test(id, { eventType: type }, { signal: cli.signal });
  const attempt = delivery.attempts.at(-1);
  const isDelivered = delivery.status === "succeeded";
  const received = !isDelivered && delivery.response?.body ? `\n  Its response: ${beginningOf(delivery.response)}` : "";
  cli.output.result(delivery, () => `${type} → ${id}: ${attempt?.message ?? delivery.status}${received}`);
  if (!isDelivered) cli.exitWith("error");
}

async function sendHere(cli: Cli, type: string, forwardTo: string | undefined): Promise<void> {
  const { environment } = cli.terminal;
  const { lastSession, receiverUrl } = await import("../listen/session.ts");
  const session = lastSession(environment);
  const url = forwardTo === undefined ? session?.url : receiverUrl(forwardTo);
  if (url === undefined)
    throw usageProblem(
      forwardTo === undefined ? "Nothing says where the event goes." : `"${forwardTo}" is not a URL.`,
      "Start `rowmill listen --forward-to URL`, or name a receiver with --forward-to or --endpoint.",
    );
  const { forward, isDelivered } = await import("../listen/forward.ts");
  const { listenSecret } = await import("../listen/secret.ts");
  const { sampleEvent } = await import("../listen/sample-event.ts");
  const event = sampleEvent(type);
  const receiver = { url, secret: listenSecret(environment), headerPrefix: session?.headerPrefix ?? "Service" };
  const result = await forward(receiver, event, cli.signal);
  if (result.status === null)
    throw new Problem(`${url} gave no response: ${result.reason}.`, "Start the receiver, or correct the address.", {
      code: "receiver_unreachable",
    });
  cli.output.result(
    { eventId: event.id, eventType: type, url, ...result },
    () => `${type} → ${url}: ${result.status} in ${result.durationMs} ms`,
  );
  if (!isDelivered(result)) cli.exitWith("error");
}
