/** The operator's view: the tenants, and a way into each. */
import { serviceNow } from "../lib/clock.ts";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Organization } from "@rowmill/client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/button.tsx";
import { readRequest } from "../lib/request.ts";
import { ActionDialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { ListStatus } from "../components/loading.tsx";
import { readError } from "../components/notice.tsx";
import { Empty, Page } from "../components/page.tsx";
import { Table, More } from "../components/table.tsx";
import { toast } from "../components/toast.tsx";
import { queries, rowmill } from "../lib/client.ts";
import { useOnce } from "../lib/once.ts";
import { useList } from "../lib/lists.ts";
import { bind, screens } from "../lib/screen-keys.ts";
import { useShortcuts } from "../lib/shortcuts.ts";
import { changeOf, columnsOf } from "./organization-columns.tsx";
import { OrganizationLimits } from "./organization-limits.tsx";
import { signIn } from "../lib/session.ts";

/** A key for the operator's visit to a tenant ends with the day. */
const VISIT_MS = 12 * 3_600_000;

export function Organizations() {
  const [isMaking, setMaking] = useState(false);
  const [changed, setChanged] = useState<Organization | null>(null);
  const [limited, setLimited] = useState<Organization | null>(null);
  const list = useList<Organization>(["organizations"], (cursor) => rowmill.organizations.list({ cursor, limit: 100 }));
  useShortcuts([bind(screens.organizations.keys.create, () => setMaking(true))]);
  const visit = useVisit();
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
      New organization
    </Button>
  );
  const columns = columnsOf({
    limit: setLimited,
    change: setChanged,
    open: visit.mutate,
    isOpening: ({ id }) => visit.isPending && visit.variables.id === id,
  });
  return (
    <Page
      title="Organizations"
      tabTitle="Organizations"
      request={readRequest("v1/organizations", "organizations.list")}
      lead="The tenants of this service. Opening one makes a key for you that ends within twelve hours; its audit shows it."
      actions={list.items.length > 0 && create}
    >
      <ListStatus list={list} />
      {list.items.length === 0 && !list.isLoading && list.error === null && (
        <Empty title="No organizations yet." actions={create}>
          Datasets, runs and keys belong to an organization. Make the first one, then open it.
        </Empty>
      )}
      {list.items.length > 0 && (
        <Table label="Organizations" items={list.items} keyOf={({ id }) => id} columns={columns} />
      )}
      {limited !== null && <OrganizationLimits organization={limited} onClose={() => setLimited(null)} />}
      <More list={list} />
      {isMaking && <NewOrganization onClose={() => setMaking(false)} />}
      {changed !== null && <ChangeState organization={changed} onClose={() => setChanged(null)} />}
    </Page>
  );
}

/** Opens an organization with a key that is made for the visit. */
function useVisit() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ id }: Organization) => {
      const expiresAt = new Date(serviceNow() + VISIT_MS).toISOString();
      const { key } = await rowmill.organizations.apiKeys.create(id, {
        name: "Console, opened by the operator",
        scopes: ["*"],
        expiresAt,
      });
      if (key === undefined) throw new Error("The service made a key and did not show it.");
      return signIn({ by: "api_key", apiKey: key });
    },
    onSuccess: () => navigate({ to: "/" }),
    onError: (problem) => toast(readError(problem).title, "bad"),
  });
}

/** Suspends an active organization, and activates a suspended one. */
function ChangeState({ organization: changed, onClose }: { organization: Organization; onClose: () => void }) {
  const isActive = changed.state === "active";
  async function change(): Promise<void> {
    await rowmill.organizations.update(changed.id, { state: isActive ? "suspended" : "active" });
    await queries.invalidateQueries({ queryKey: ["organizations"] });
    onClose();
  }
  return (
    <ActionDialog
      title={`${changeOf(changed)} ${changed.name}?`}
      width="max-w-md"
      look={isActive ? "danger" : "primary"}
      action={changeOf(changed)}
      onAct={change}
      onClose={onClose}
    >
      <p>
        {isActive
          ? "Its keys are refused at once, and its runs pause. Nothing is deleted."
          : "Its keys work again, and its runs go on."}
      </p>
    </ActionDialog>
  );
}

function NewOrganization({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const once = useOnce();
  async function create(): Promise<void> {
    const body = { name: name.trim() };
    await once(body, (options) => rowmill.organizations.create(body, options));
    await queries.invalidateQueries({ queryKey: ["organizations"] });
    onClose();
  }
  return (
    <ActionDialog
      title="New organization"
      width="max-w-md"
      action="Create"
      isReady={name.trim() !== ""}
      onAct={create}
      onClose={onClose}
    >
      <Field label="Name">
        <input
          className="input"
          autoFocus
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
    </ActionDialog>
  );
}
