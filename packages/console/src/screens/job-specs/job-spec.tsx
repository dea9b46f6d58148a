import { queryOptions, useInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { JobSpec, JobSpecVersion } from "@rowmill/client";
import { Archive } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Confirm } from "../../components/dialog.tsx";
import { MoreMenu } from "../../components/menu.tsx";
import { Copy } from "../../components/copy.tsx";
import { Definition } from "./definition.tsx";
import { Difference } from "./difference.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { EXACT } from "../../lib/exact-numbers.ts";
import { useMay } from "../../lib/session.ts";
import { definitionOf, describeProcessor } from "../../lib/specs.ts";
import { Editor } from "./editor.tsx";

export const POLL_MS = 15_000;

export const jobSpecQuery = (id: string) =>
  queryOptions({ queryKey: ["job-specs", id], queryFn: () => rowmill.jobSpecs.get(id, EXACT) });

export function JobSpecScreen() {
  const { jobSpecId } = useParams({ from: "/frame/job-specs/$jobSpecId" });
  // No event reports what another tab or somebody else has saved.
  const { data: spec } = useSuspenseQuery({ ...jobSpecQuery(jobSpecId), refetchInterval: POLL_MS });
  const { datasetId } = useSearch({ from: "/frame/job-specs/$jobSpecId" });
  const mayWrite = useMay("job_specs:write");
  const navigate = useNavigate();
  const [isArchiving, setArchiving] = useState(false);
  const isEditable = mayWrite && spec.archivedAt === null;
  // What is written stays where somebody archives the job spec meanwhile.
  const [isTouched, setTouched] = useState(false);
  return (
    <Page
      trail={
        <Link to="/job-specs" className="link">
          Job specs
        </Link>
      }
      title={spec.name}
      tabTitle={spec.name}
      lead={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span>Version {spec.latestVersion}</span>
          <Copy text={spec.id} label="Copy the id">
            {spec.id}
          </Copy>
        </div>
      }
      menu={
        <MoreMenu
          id={spec.id}
          request={readRequest(`v1/job-specs/${jobSpecId}`, "jobSpecs.get", { ids: [jobSpecId], isOne: true })}
          items={isEditable ? [{ label: "Archive", icon: Archive, isDanger: true, run: () => setArchiving(true) }] : []}
        />
      }
    >
      {spec.archivedAt !== null && <Archived isWritten={mayWrite && isTouched} />}
      {isEditable || (mayWrite && isTouched) ? (
        <Editor key={spec.id} spec={spec} datasetId={datasetId} onTouched={setTouched} />
      ) : (
        <Definition version={spec} />
      )}
      <Versions spec={spec} />
      {isArchiving && (
        <Confirm
          title="Archive this job spec?"
          action="Archive"
          onClose={() => setArchiving(false)}
          onConfirm={async () => {
            await rowmill.jobSpecs.archive(jobSpecId);
            await queries.invalidateQueries({ queryKey: ["job-specs"] });
            void navigate({ to: "/job-specs" });
          }}
        >
          It starts no new runs, and leaves the list. Runs that use it go on, and it can still be read.
        </Confirm>
      )}
    </Page>
  );
}

export function Archived({ isWritten }: { isWritten: boolean }) {
  return (
    <Notice tone="info" title="This job spec is archived.">
      It starts no new runs; runs that use it go on.
      {isWritten && " What you have written stays here to be copied, and cannot be saved."}
    </Notice>
  );
}

function Versions({ spec }: { spec: JobSpec }) {
  const { version } = useSearch({ from: "/frame/job-specs/$jobSpecId" });
  const navigate = useNavigate();
  const older = useInfiniteQuery({
    queryKey: ["job-specs", spec.id, "versions", "list", spec.latestVersion],
    queryFn: async ({ pageParam }) => {
      const { data, nextCursor } = await rowmill.jobSpecs.versions.list(
        spec.id,
        { limit: 100, cursor: pageParam },
        EXACT,
      );
      return { data, nextCursor };
    },
    initialPageParam: undefined as string | undefined, // the newest ones
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const versions = older.data?.pages.flatMap(({ data }) => data) ?? [];
  if (versions.length < 2) return null;
  const at = versions.findIndex((candidate) => String(candidate.version) === version);
  const [shown, before] = [versions[at], versions[at + 1]];
  return (
    <Section title="Versions">
      <ul className="card divide-y divide-line">
        {versions.map((candidate: JobSpecVersion) => (
          <li key={candidate.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
            <span className="font-medium tabular-nums">Version {candidate.version}</span>
            <span className="min-w-0 flex-1 truncate text-soft">{describeProcessor(candidate.processor)}</span>
            <span className="text-soft">
              <Time at={candidate.createdAt} />
            </span>
            {candidate.version > 1 && (
              <Button
                look="quiet"
                aria-expanded={candidate === shown}
                onClick={() =>
                  void navigate({
                    to: "/job-specs/$jobSpecId",
                    params: { jobSpecId: spec.id },
                    search: candidate === shown ? {} : { version: String(candidate.version) },
                    resetScroll: false,
                  })
                }
              >
                {candidate === shown ? "Hide" : "What changed"}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {older.hasNextPage && (
        <Button className="self-center" isBusy={older.isFetchingNextPage} onClick={() => void older.fetchNextPage()}>
          Show older versions
        </Button>
      )}
      {shown !== undefined && before !== undefined && (
        <Difference before={definitionOf(before)} after={definitionOf(shown)} />
      )}
    </Section>
  );
}
