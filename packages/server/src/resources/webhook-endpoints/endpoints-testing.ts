/** Webhook endpoints with a receiver. */
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";

export const PATH = "/v1/webhook-endpoints";

/** A service that delivers to a receiver, and one organization. */
export async function startEndpointService() {
  const receiver = await startReceiver();
  // Delivered only where a test has a receiver for it; what fails waits for an hour.
  const service = await startTestService({ ...receiverSettings(receiver), ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,3600" });
  const organization = await service.newOrganization();

  const auditOf = (endpointId: string) =>
    service.query<{ type: string; actor_type: string; changes: Record<string, unknown> }>(
      "select type, actor_type, changes from audit_events where target_id = $1 order by created_at, id",
      [endpointId],
    );
  return { service, receiver, organization, auditOf };
}
