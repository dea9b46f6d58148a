/** What the run applied to each row; for a retry with another version, what is different from its parent's. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Definition } from "../job-specs/definition.tsx";
import { Difference } from "../job-specs/difference.tsx";
import { Loading } from "../../components/loading.tsx";
import { ErrorNotice, Hidden } from "../../components/notice.tsx";
import { Section } from "../../components/page.tsx";
import { rowmill } from "../../lib/client.ts";
import { EXACT } from "../../lib/exact-numbers.ts";
import { runQuery } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";
import { definitionOf } from "../../lib/specs.ts";

export function RunSpec() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const may = useMay("job_specs:read");
  const version = useQuery({
    queryKey: ["job-specs", run.jobSpecId, "versions", run.jobSpecVersion],
    queryFn: () => rowmill.jobSpecs.versions.get(run.jobSpecId, run.jobSpecVersion, EXACT),
    staleTime: Infinity,
    enabled: may,
  });
  const parent = useQuery({ ...runQuery(run.parentRunId ?? ""), enabled: run.parentRunId !== null });
  const parentVersion = parent.data?.jobSpecVersion;
  const isOther = parentVersion !== undefined && parentVersion !== run.jobSpecVersion;
  const before = useQuery({
    queryKey: ["job-specs", run.jobSpecId, "versions", parentVersion],
    queryFn: () => rowmill.jobSpecs.versions.get(run.jobSpecId, parentVersion ?? 1, EXACT),
    staleTime: Infinity,
    enabled: may && isOther,
  });
  if (!may) return <Hidden what="Job specs are" scope="job_specs:read" />;
  if (version.error !== null) return <ErrorNotice error={version.error} />;
  if (version.data === undefined) return <Loading />;
  return (
    <div className="flex flex-col gap-5">
      {isOther && before.data !== undefined && (
        <Section title={`What is different from version ${before.data.version}, which the parent used`}>
          <Difference before={definitionOf(before.data)} after={definitionOf(version.data)} />
        </Section>
      )}
      <Section
        title={`Version ${run.jobSpecVersion}`}
        note={parentVersion === run.jobSpecVersion ? "The same that the parent used." : undefined}
        actions={
          <Link to="/job-specs/$jobSpecId" params={{ jobSpecId: run.jobSpecId }} className="link">
            Open the job spec
          </Link>
        }
      >
        <Definition version={version.data} />
      </Section>
    </div>
  );
}
