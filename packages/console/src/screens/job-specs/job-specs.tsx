import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { JobSpec } from "@rowmill/client";
import { Plus } from "lucide-react";
import { ButtonLink } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { More, NameFilter, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { Empty, Page } from "../../components/page.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { visible } from "../../lib/format.ts";
import { isEmpty, useList } from "../../lib/lists.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useMay } from "../../lib/session.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { describeProcessor } from "../../lib/specs.ts";

export function JobSpecs() {
  const { name } = useSearch({ from: "/frame/job-specs" });
  const navigate = useNavigate();
  const mayWrite = useMay("job_specs:write");
  const list = useList<JobSpec>(["job-specs", "list", name], (cursor) => rowmill.jobSpecs.list({ name, cursor }));
  useShortcuts(mayWrite ? [bind(screens.jobSpecs.keys.create, () => void navigate({ to: "/job-specs/new" }))] : []);
  const create = mayWrite && (
    <ButtonLink look="primary" icon={Plus} to="/job-specs/new">
      New job spec
    </ButtonLink>
  );
  return (
    <Page
      title="Job specs"
      tabTitle="Job specs"
      request={readRequest("v1/job-specs", "jobSpecs.list", { query: { name } })}
      actions={list.items.length > 0 && create}
    >
      {(list.items.length > 0 || name !== undefined) && (
        <NameFilter
          value={name}
          onChange={(text) =>
            void navigate({ to: "/job-specs", search: text === "" ? {} : { name: text }, replace: true })
          }
        />
      )}
      <ListStatus list={list} />
      {list.items.length > 0 && <Table label="Job specs" items={list.items} keyOf={({ id }) => id} columns={COLUMNS} />}
      {isEmpty(list) && (
        <Empty
          title={name === undefined ? "No job specs yet." : "No job spec is called that."}
          actions={name === undefined && create}
        >
          A job spec says what happens to a row: a prompt for a model, an HTTP request, or a function of yours. It is
          tried on a few rows before anything runs.
        </Empty>
      )}
      <More list={list} />
    </Page>
  );
}

const COLUMNS: Column<JobSpec>[] = [
  {
    id: "name",
    head: "Name",
    className: "w-[45%] min-w-36 max-w-md",
    cell: ({ id, name }) => (
      <Link
        to="/job-specs/$jobSpecId"
        params={{ jobSpecId: id }}
        className="font-medium [overflow-wrap:anywhere] hover:underline"
      >
        {visible(name)}
      </Link>
    ),
  },
  {
    id: "what",
    head: "Does",
    cell: ({ processor }) => (
      <span className="line-clamp-2 [overflow-wrap:anywhere] text-soft">{describeProcessor(processor)}</span>
    ),
  },
  { id: "version", head: "Version", align: "right", cell: ({ latestVersion }) => latestVersion },
  { id: "changed", head: "Changed", align: "right", wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];
