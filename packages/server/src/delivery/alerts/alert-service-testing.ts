/** Alerts from the rule to the receiver. */
import type { AlertRule } from "@rowmill/contract/alert-rules";
import { startMailServer } from "../../testing/mail-server.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import type { Alert } from "@rowmill/contract/event-payloads";
import type { ReceivedRequest } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization } from "../../testing/service.ts";

/** A service that delivers alerts to a receiver and a mail server; a delivery that fails is tried again within two seconds. */
export async function startAlertService() {
  const receiver = await startReceiver();
  const mailServer = await startMailServer();
  const service = await startTestService({
    ...receiverSettings(receiver),
    ROWMILL_ALERT_RETRY_SCHEDULE: "0,1,1",
    ROWMILL_SMTP_URL: mailServer.url,
    ROWMILL_MAIL_FROM: "Rowmill <rowmill@example.com>",
    ROWMILL_PUBLIC_URL: "https://rowmill.example.com",
  });

  const requestsAt = (path: string) => receiver.requests.filter((request) => request.path === `/hook/${path}`);
  const webhook = (path: string) => ({ type: "webhook" as const, url: `${receiver.url}/${path}` });
  const alertIn = (request: ReceivedRequest | undefined) => JSON.parse(request?.body.toString("utf8") ?? "{}") as Alert;
  const readRule = async ({ api }: TestOrganization, id: string) =>
    (await api<AlertRule>("GET", `/v1/alert-rules/${id}`)).body;
  return { service, receiver, mailServer, requestsAt, webhook, alertIn, readRule };
}
