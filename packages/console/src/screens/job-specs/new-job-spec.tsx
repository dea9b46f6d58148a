import { Link, useSearch } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { Editor } from "./editor.tsx";

export function NewJobSpec() {
  const { datasetId } = useSearch({ from: "/frame/job-specs/new" });
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
