import type { Body, Export } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { Choice, Field } from "../../components/field.tsx";

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
  async function create(): Promise<void> {
    await onCreate({
      type,
      format,
      includeInput,
      ...(format === "parquet" ? {} : { compression }),
      ...(format === "csv" && spreadsheet ? { spreadsheet } : {}),
    });
    onClose();
  }
  return (
    <ActionDialog title="New file" width="max-w-md" action="Write the file" onAct={create} onClose={onClose}>
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
    </ActionDialog>
  );
}
