/** The organization, what the service keeps for how long, the own session, colors, and the version. */
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Organization } from "@rowmill/client";
import { LogOut } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../components/button.tsx";
import { Copy } from "../components/copy.tsx";
import { Facts } from "../components/facts.tsx";
import { Choice, Field } from "../components/field.tsx";
import { ListStatus } from "../components/loading.tsx";
import { Hidden, ErrorNotice } from "../components/notice.tsx";
import { Meter } from "../components/meter.tsx";
import { Page } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toast.tsx";
import { baseUrl, queries, rowmill } from "../lib/client.ts";
import { bytes, count, duration, plural, visible } from "../lib/format.ts";
import { describeScopes } from "../lib/keys.ts";
import { usePeople } from "../lib/people.ts";
import { serviceQuery } from "../lib/service.ts";
import { useSignOut } from "../frame/use-sign-out.tsx";
import { sessionQuery, useMay, useSession } from "../lib/session.ts";
import { applyTheme, useTheme } from "../lib/theme.ts";

export function Settings() {
  const { kind, organizationId } = useSession();
  const mayRead = useMay("organization:read");
  const {
    data: organization,
    error,
    isLoading,
    refetch,
  } = useQuery({
    queryKey: ["organization"],
    queryFn: () => rowmill.organizations.get(organizationId ?? ""),
    enabled: kind === "organization" && mayRead,
  });
  return (
    <Page title="Settings" tabTitle="Settings">
      <ListStatus list={{ isLoading, error, tryAgain: () => void refetch() }} />
      <div className="-mb-5 gap-5 lg:columns-2 [&>*]:mb-5 [&>*]:break-inside-avoid">
        {organization !== undefined && (
          <>
            <Name key={organization.name} organization={organization} />
            <Limits organization={organization} />
          </>
        )}
        {kind === "organization" && !mayRead && (
          <Hidden what="The organization's limits are" scope="organization:read" />
        )}
        <OwnSession />
        <Colors />
        <Service />
      </div>
    </Page>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card flex min-w-0 flex-col gap-3 px-5 py-4">
      <h2 className="text-base font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Name({ organization }: { organization: Organization }) {
  const mayWrite = useMay("organization:write");
  const [name, setName] = useState(organization.name);
  const save = useMutation({
    mutationFn: () => rowmill.organizations.update(organization.id, { name: name.trim() }),
    onSuccess: async () => {
      toast("Saved.");
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["organization"] }),
        queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]);
    },
  });
  return (
    <Panel title="Organization">
      {mayWrite ? (
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <Field label="Name" className="flex-1">
            <input className="input" maxLength={200} value={name} onChange={({ target }) => setName(target.value)} />
          </Field>
          <Button
            type="submit"
            look="primary"
            disabled={name.trim() === "" || name.trim() === organization.name}
            isBusy={save.isPending}
          >
            Save
          </Button>
        </form>
      ) : (
        <p className="text-lg font-medium [overflow-wrap:anywhere]">{visible(organization.name)}</p>
      )}
      {save.error !== null && <ErrorNotice error={save.error} />}
      <Facts
        facts={[
          [
            "Id",
            <Copy key="id" text={organization.id} label="Copy the organization's id">
              {organization.id}
            </Copy>,
          ],
          ["Short name", organization.slug ?? undefined],
          ["Since", <Time key="since" at={organization.createdAt} />],
        ]}
      />
    </Panel>
  );
}

const LIMITS: [name: string, label: string, usage: keyof Organization["usage"] | null][] = [
  ["storageBytes", "Storage", "storageBytes"],
  ["runsInProgress", "Runs in progress", "runsInProgress"],
  ["webhookEndpoints", "Webhook endpoints", "webhookEndpoints"],
  ["apiKeys", "Active API keys", "apiKeys"],
  ["rowsPerRun", "Rows a run", null],
  ["requestsPerMinute", "Requests a minute", null],
];
/** From here on a limit is worth a color. */
const NEARLY = 0.9;

export function Limits({ organization: { limits, usage } }: { organization: Pick<Organization, "limits" | "usage"> }) {
  return (
    <Panel title="Limits">
      <ul className="flex flex-col gap-3">
        {LIMITS.map(([name, label, of]) => {
          const limit = limits[name] ?? null;
          const used = of === null ? null : (usage[of] as number); // those named here are counts
          const say = (value: number): string => (name === "storageBytes" ? bytes(value) : count(value));
          return (
            <li key={name}>
              <div className="flex justify-between gap-4">
                <span>{label}</span>
                <span className="text-soft tabular-nums">
                  {used !== null && <span className="text-ink">{say(used)}</span>}
                  {limit === null
                    ? used === null
                      ? "no limit"
                      : ", no limit"
                    : `${used === null ? "" : " of "}${say(limit)}`}
                </span>
              </div>
              {used !== null && limit !== null && (
                <Meter
                  className="mt-1 h-1.5"
                  parts={[{ value: used, look: used >= limit * NEARLY ? "bad" : "good" }]}
                  total={limit}
                  label={`${say(used)} of ${say(limit)}`}
                />
              )}
            </li>
          );
        })}
      </ul>
      <p className="text-xs text-soft">
        The operator of the service sets them. Storage includes what uploads that are not complete may still need: the
        size that they stated, or that of the largest dataset.
      </p>
    </Panel>
  );
}

function OwnSession() {
  const { signOut, isPending, question } = useSignOut();
  const session = useSession();
  const nameOf = usePeople();
  const { apiKeyId, memberId, expiresAt, scopes, kind } = session;
  return (
    <Panel title="This session">
      <Facts
        facts={[
          [
            "As",
            kind === "admin" ? "The operator" : memberId === null ? "An API key" : (nameOf(memberId) ?? "A member"),
          ],
          ["Key", apiKeyId === null ? undefined : (nameOf(apiKeyId) ?? apiKeyId)],
          ["May", kind === "admin" ? undefined : <Scopes key="scopes" scopes={scopes} />],
          ["Ends", expiresAt === null ? undefined : <Time key="ends" at={expiresAt} />],
        ]}
      />
      <Button icon={LogOut} className="self-start" isBusy={isPending} onClick={signOut}>
        Sign out
      </Button>
      {question}
    </Panel>
  );
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  return (
    <details>
      <summary className="hover:underline">{describeScopes(scopes)}</summary>
      <ul className="mt-1 columns-2 font-mono text-xs text-soft">
        {scopes.map((scope) => (
          <li key={scope}>{scope}</li>
        ))}
      </ul>
    </details>
  );
}

function Colors() {
  const theme = useTheme();
  return (
    <Panel title="Appearance">
      <Choice
        label="Colors"
        value={theme}
        options={[
          ["system", "As the system"],
          ["light", "Light"],
          ["dark", "Dark"],
        ]}
        onChange={applyTheme}
      />
    </Panel>
  );
}

function Service() {
  const { data, error } = useQuery(serviceQuery);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return null;
  const { retention } = data;
  return (
    <Panel title="Service">
      <Facts
        facts={[
          ["Version", data.version],
          ["Address", data.publicUrl],
          ["E-mail", data.sendsMail ? "is sent" : "is not set up: invitations are passed on as links"],
          ["Webhook deliveries", `kept ${plural(retention.webhookDeliveryDays, "day")}, and events with them`],
          ["Alerts", `kept ${plural(retention.alertDeliveryDays, "day")}`],
          ["Files of exports", `kept ${duration(retention.exportHours * 3600)}`],
          ["Datasets and runs", "kept until somebody deletes them"],
        ]}
      />
      <p className="flex flex-wrap gap-x-4 gap-y-2">
        <a className="link" href={`${baseUrl}guide/`} target="_blank" rel="noreferrer">
          Guide
        </a>
        <a className="link" href={`${baseUrl}docs`} target="_blank" rel="noreferrer">
          API reference
        </a>
        <a className="link" href={`${baseUrl}v1/error-codes`} target="_blank" rel="noreferrer">
          Error codes
        </a>
        <a className="link" href={`${baseUrl}v1/event-types`} target="_blank" rel="noreferrer">
          Event types
        </a>
      </p>
    </Panel>
  );
}
