/** Columns of the list of organizations. */
import type { Organization } from "@rowmill/client";
import { DoorOpen, Ellipsis } from "lucide-react";
import { Button } from "../components/button.tsx";
import { Menu } from "../components/menu.tsx";
import { State } from "../components/state.tsx";
import type { Column } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { bytes, count, usd, visible } from "../lib/format.ts";

interface Actions {
  limit: (organization: Organization) => void;
  change: (organization: Organization) => void;
  open: (organization: Organization) => void;
  isOpening: (organization: Organization) => boolean;
}

export const columnsOf = ({ limit, change, open, isOpening }: Actions): Column<Organization>[] => [
  {
    id: "name",
    head: "Organization",
    cell: ({ name, id }) => (
      <>
        <span className="font-medium [overflow-wrap:anywhere]">{visible(name)}</span>
        <p className="font-mono text-xs text-soft max-md:hidden">{id}</p>
      </>
    ),
  },
  { id: "state", head: "State", cell: ({ state }) => <State state={state} /> },
  { id: "datasets", head: "Datasets", align: "right", wide: true, cell: ({ usage }) => count(usage.datasets) },
  { id: "stored", head: "Stored", align: "right", wide: true, cell: ({ usage }) => bytes(usage.storageBytes) },
  { id: "spent", head: "This month", align: "right", wide: true, cell: ({ usage }) => usd(usage.thisMonth.costUsd) },
  { id: "created", head: "Created", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: "actions",
    head: <span className="sr-only">Actions</span>,
    align: "right",
    cell: (organization) => (
      <span className="inline-flex gap-2">
        <span className="inline-flex gap-2 max-md:hidden">
          <Button look="quiet" onClick={() => limit(organization)}>
            Limits
          </Button>
          <Button look="quiet" onClick={() => change(organization)}>
            {changeOf(organization)}
          </Button>
        </span>
        {organization.state === "active" && (
          <Button icon={DoorOpen} isBusy={isOpening(organization)} onClick={() => open(organization)}>
            Open
          </Button>
        )}
        {/* Three buttons have no room on a phone. */}
        <span className="md:hidden">
          <Menu
            className="inline-flex size-8 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
            trigger={
              <>
                <Ellipsis aria-hidden size={16} />
                <span className="sr-only">More actions</span>
              </>
            }
            items={[
              { label: "Limits", run: () => limit(organization) },
              { label: changeOf(organization), run: () => change(organization) },
            ]}
          />
        </span>
      </span>
    ),
  },
];

export const changeOf = ({ state }: Organization): string => (state === "active" ? "Suspend" : "Activate");
