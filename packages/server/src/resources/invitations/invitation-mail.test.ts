/** Against a real SMTP server: what the invited person gets, and that it gets there. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedInvitation } from "@rowmill/contract/invitations";
import type { Organization } from "@rowmill/contract/organizations";
import { expectStatus } from "../../testing/api.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

let mailServer: MailServer;
let service: TestService;
beforeAll(async () => {
  mailServer = await startMailServer();
  service = await startTestService({
    ROWMILL_SMTP_URL: mailServer.url,
    ROWMILL_MAIL_FROM: "Rowmill <rowmill@example.com>",
    ROWMILL_PUBLIC_URL: "https://rowmill.example.com/base/",
  });
});

async function invite(email: string, organizationName = "Acme"): Promise<CreatedInvitation> {
  const organization = await service.api<Organization>("POST", "/v1/organizations", {
    body: { name: organizationName },
  });
  const created = await service.api<CreatedInvitation>(
    "POST",
    `/v1/organizations/${organization.body.id}/invitations`,
    { body: { email, role: "operator" } },
  );
  expectStatus(created, 201);
  return created.body;
}
const mailsTo = (email: string) => mailServer.mails.filter(({ to }) => to.includes(email));
const mailTo = (email: string) => waitFor(() => mailsTo(email)[0], { what: `a mail to ${email} has come` });

describe("the mail of an invitation", () => {
  test("holds the link that accepts it, and goes to that address only", async () => {
    const { inviteUrl, expiresAt } = await invite("ada@example.com", "Ångström & Söhne");
    const mail = await mailTo("ada@example.com");
    expect(mail.to).toEqual(["ada@example.com"]);
    expect(mail.from).toBe("rowmill@example.com");
    expect(mail.text).toContain(inviteUrl);
    expect(mail.text).toContain("Ångström & Söhne");
    expect(mail.text).toContain("operator");
    expect(mail.text).toContain(expiresAt.slice(0, 10));
    expect(inviteUrl.startsWith("https://rowmill.example.com/base/accept-invitation#token=")).toBe(true);
    const token = /#token=(\S+)/.exec(mail.text)?.[1];
    const accepted = await service.api("POST", "/v1/invitations/accept", { key: null, body: { token, name: "Ada" } });
    expectStatus(accepted, 200);
  });

  test("cannot be given further headers or addressees by the organization's name", async () => {
    await invite("bob@example.com", "Acme\r\nBcc: mallory@example.com\r\n\r\nClick here");
    const mail = await mailTo("bob@example.com");
    expect(mail.to).toEqual(["bob@example.com"]);
    expect(mail.headers["bcc"]).toBeUndefined();
    expect(mail.headers["subject"]).toBe("Invitation to Acme Bcc: mallory@example.com Click here on Rowmill");
  });

  test("does not wait for all of other organizations, to which the server does not respond", async () => {
    const { named, end } = mailServer.ignoreRecipients("slow-");
    const addresses: string[] = [];
    for (const group of ["a", "b", "c"]) {
      const first = `slow-${group}-1@example.com`;
      const { organizationId } = await invite(first);
      addresses.push(first);
      for (let n = 2; n <= 5; n++) {
        const body = { email: `slow-${group}-${n}@example.com`, role: "viewer" };
        expectStatus(await service.api("POST", `/v1/organizations/${organizationId}/invitations`, { body }), 201);
        addresses.push(body.email);
      }
    }
    await waitFor(() => named() >= 3, { what: "the server is asked about three of them" });
    await invite("quick@example.com");
    await mailTo("quick@example.com");
    // All of them were asked for before it.
    expect(named()).toBeLessThan(addresses.length);
    end();
    for (const address of addresses) await mailTo(address);
  });

  test("is not sent for an invitation that was refused", async () => {
    const { organizationId } = await invite("carol@example.com");
    const again = await service.api("POST", `/v1/organizations/${organizationId}/invitations`, {
      body: { email: "carol@example.com", role: "viewer" },
    });
    expect(again.status).toBe(409);
    // Sent in their order: when the next has come, one that was enqueued before it would have, too.
    await invite("dave@example.com");
    await mailTo("dave@example.com");
    expect(mailsTo("carol@example.com")).toHaveLength(1);
  });

  test("waits in the queue as long as the server does not take it, with its token sealed, and arrives once", async () => {
    mailServer.respond(451);
    const { inviteUrl } = await invite("erin@example.com");
    await waitFor(() => service.logs().some((line) => line.includes("will be tried again")));
    const queued = await service.query<{ row: string }>("select j::text as row from pgboss.job j where name = 'mail'");
    expect(queued.length).toBeGreaterThan(0);
    for (const { row } of queued) expect(row).not.toContain(inviteUrl.split("#token=")[1]);
    mailServer.respond(250);
    await mailTo("erin@example.com");
    await waitFor(async () => {
      const open = await service.query("select 1 from pgboss.job where name = 'mail' and state < 'completed'");
      return open.length === 0;
    });
    expect(mailsTo("erin@example.com")).toHaveLength(1);
  });

  test("is abandoned when the server refuses it for good; the link in the response works all the same", async () => {
    mailServer.respond(550);
    const { inviteUrl } = await invite("frank@example.com");
    await waitFor(() => service.logs().some((line) => line.includes("a mail was abandoned")));
    mailServer.respond(250);
    expect(mailsTo("frank@example.com")).toHaveLength(0);
    const token = inviteUrl.split("#token=")[1];
    expectStatus(
      await service.api("POST", "/v1/invitations/accept", { key: null, body: { token, name: "Frank" } }),
      200,
    );
    expect(service.logs().join("")).not.toContain(token);
  });
});

test("a mail that was asked for before the service stopped is sent by the next one", async () => {
  // Takes no jobs, as one that is killed right after its response.
  const api = await startTestService({ ROWMILL_SMTP_URL: mailServer.url, ROWMILL_ROLE: "api" });
  const tenant = await api.newOrganization();
  await tenant.api("POST", `/v1/organizations/${tenant.organizationId}/invitations`, {
    body: { email: "grace@example.com", role: "viewer" },
  });
  await api.stop();
  expect(mailsTo("grace@example.com")).toHaveLength(0);
  await startTestService({ ...api.settings, ROWMILL_ROLE: "worker" });
  await mailTo("grace@example.com");
});

test("without a mail server nothing waits to be sent", async () => {
  const silent = await startTestService();
  const tenant = await silent.newOrganization();
  const created = await tenant.api<CreatedInvitation>(
    "POST",
    `/v1/organizations/${tenant.organizationId}/invitations`,
    {
      body: { email: "heidi@example.com", role: "viewer" },
    },
  );
  expect(created.body.inviteUrl).toContain("#token=rmi_");
  expect(await silent.query("select 1 from pgboss.job where name = 'mail'")).toEqual([]);
});
