import type { Body, Export } from "@rowmill/client";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { ErrorNotice } from "../../components/notice.tsx";

export function ExportDialog({
  onClose,
  onCreate,
}: {
  onClose: () => void;
  onCreate: (body: Body<"createExport">) => Promise<Export>;
}) {
  const [type, setType] = useState<Export["type"]>("resolved_results");
  const [format, setFormat] = useState<Export["format"]>("jsonl");
  const [compression, setCompression] = useState<"none" | "gzip" | "zstd">("none");
  const [includeInput, setIncludeInput] = useState(true);
  const [spreadsheet, setSpreadsheet] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function create(): Promise<void> {
    setBusy(true);
    try {
      await onCreate({
        type,
        format,
        includeInput,
        ...(format === "parquet" ? {} : { compression }),
        ...(format === "csv" && spreadsheet ? { spreadsheet } : {}),
      });
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  }
  return (
    <Dialog
      title="New file"
      onClose={onClose}
      width="max-w-md"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" isBusy={isBusy} onClick={() => void create()}>
            Write the file
          </Button>
        </>
      }
    >
      <Field label="Contents">
        <select className="input" value={type} onChange={({ target }) => setType(target.value as Export["type"])}>
          <option value="resolved_results">Resolved results, over all retries</option>
          <option value="outputs">Outputs of this run</option>
          <option value="failures">Failures of this run</option>
          <option value="rows">States of the rows of this run</option>
        </select>
      </Field>
      <Choice
        label="Format"
        value={format}
        onChange={setFormat}
        options={[
          ["jsonl", "JSON Lines"],
          ["csv", "CSV"],
          ["parquet", "Parquet"],
        ]}
      />
      {format !== "parquet" && (
        <Choice
          label="Compression"
          value={compression}
          onChange={setCompression}
          options={[
            ["none", "None"],
            ["gzip", "gzip"],
            ["zstd", "zstd"],
          ]}
        />
      )}
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={includeInput} onChange={({ target }) => setIncludeInput(target.checked)} />
        With the input of each row
      </label>
      {format === "csv" && (
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={spreadsheet} onChange={({ target }) => setSpreadsheet(target.checked)} />
          Guard spreadsheets against formulas in cells
        </label>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </Dialog>
  );
}
