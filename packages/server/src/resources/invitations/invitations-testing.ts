/** Invitations and members of a test organization. */
import type { AuditEvent } from "@rowmill/contract/audit-events";
import type { AcceptedInvitation, CreatedInvitation } from "@rowmill/contract/invitations";
import type { Role } from "@rowmill/contract/roles";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization } from "../../testing/service.ts";

/** A service, an organization, and people who are invited to it. */
export async function startInvitationService() {
  const service = await startTestService();
  const tenant = await service.newOrganization();

  const invitationsOf = (of: TestOrganization, rest = "") =>
    `/v1/organizations/${of.organizationId}/invitations${rest}`;
  const membersOf = (of: TestOrganization, rest = "") => `/v1/organizations/${of.organizationId}/members${rest}`;

  const keysOf = (of: TestOrganization) => `/v1/organizations/${of.organizationId}/api-keys`;

  let addresses = 0;
  const newAddress = (): string => `person-${++addresses}@example.com`;

  async function invite(role: Role = "viewer", email = newAddress(), of = tenant): Promise<CreatedInvitation> {
    const created = await of.api<CreatedInvitation>("POST", invitationsOf(of), { body: { email, role } });
    expectStatus(created, 201);
    return created.body;
  }
  const tokenOf = ({ inviteUrl }: CreatedInvitation): string => new URL(inviteUrl).hash.replace("#token=", "");
  const accept = (token: string, name = "Ada Lovelace", idempotencyKey?: string) =>
    service.api<AcceptedInvitation>("POST", "/v1/invitations/accept", {
      body: { token, name },
      key: null,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  async function join(role: Role, of = tenant): Promise<AcceptedInvitation> {
    const accepted = await accept(tokenOf(await invite(role, newAddress(), of)));
    expectStatus(accepted, 200);
    return accepted.body;
  }
  const codeOf = (response: { status: number; text: string }): [number, string] => [
    response.status,
    (JSON.parse(response.text) as { error: { code: string } }).error.code, // an error, as the status beside it shows
  ];
  const makeDue = (...ids: string[]) =>
    service.query("update invitations set expires_at = now() - interval '1 minute' where email = any($1)", [ids]);
  const auditsOf = async (requestId: string | undefined, of = tenant): Promise<AuditEvent[]> =>
    (
      await of.api<{ data: AuditEvent[] }>("GET", `/v1/organizations/${of.organizationId}/audit-events?limit=200`)
    ).body.data.filter((event) => event.requestId === requestId);
  return {
    service,
    tenant,
    invitationsOf,
    membersOf,
    keysOf,
    newAddress,
    invite,
    tokenOf,
    accept,
    join,
    codeOf,
    makeDue,
    auditsOf,
  };
}
