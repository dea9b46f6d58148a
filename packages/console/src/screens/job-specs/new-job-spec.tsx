import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Page } from "../../components/page.tsx";
import { Editor } from "./editor.tsx";
import { Archived, POLL_MS, jobSpecQuery } from "./job-spec.tsx";

export function NewJobSpec() {
  const { datasetId, jobSpecId } = useSearch({ from: "/frame/job-specs/new" });
  // A test saves the job spec and leaves the screen as it is. The address has its id from then on: who comes back by it, or loads the
  // page again, finds what was saved.
  const [returning] = useState(jobSpecId);
  // Once it is saved, as on its own screen.
  const { data: spec } = useQuery({
    ...jobSpecQuery(jobSpecId ?? ""),
    enabled: jobSpecId !== undefined && returning === undefined,
    refetchInterval: POLL_MS,
  });
  const router = useRouter();
  useEffect(() => {
    // The screen that follows the first save, at once: what is written here while its code is fetched would be lost.
    void router.loadRouteChunk(router.routesById["/frame/job-specs/$jobSpecId"]);
  }, [router]);
  if (returning !== undefined)
    return (
      <Navigate
        replace
        to="/job-specs/$jobSpecId"
        params={{ jobSpecId: returning }}
        search={datasetId === undefined ? {} : { datasetId }}
      />
    );
  return (
    <Page
      trail={
        <Link to="/job-specs" className="link">
          Job specs
        </Link>
      }
      title="New job spec"
      tabTitle="New job spec"
    >
      {spec != null && spec.archivedAt !== null && <Archived isWritten />}
      <Editor spec={spec} datasetId={datasetId} />
    </Page>
  );
}
