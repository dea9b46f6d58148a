import { Link, Navigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Page } from "../../components/page.tsx";
import { Editor } from "./editor.tsx";

export function NewJobSpec() {
  const { datasetId, jobSpecId } = useSearch({ from: "/frame/job-specs/new" });
  // A test saves the job spec and leaves the screen as it is. The address has its id from then on: who comes back by it, or loads the
  // page again, finds what was saved.
  const [returning] = useState(jobSpecId);
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
      <Editor datasetId={datasetId} />
    </Page>
  );
}
