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
      <ContentsField type={type} onChange={setType} />
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
      <Check isOn={includeInput} onChange={setIncludeInput} label="With the input of each row" />
      {format === "csv" && (
        <Check isOn={spreadsheet} onChange={setSpreadsheet} label="Guard spreadsheets against formulas in cells" />
      )}
    </ActionDialog>
  );
}

function ContentsField({ type, onChange }: { type: Export["type"]; onChange: (type: Export["type"]) => void }) {
  return (
    <Field label="Contents">
      <select className="input" value={type} onChange={({ target }) => onChange(target.value as Export["type"])}>
        <option value="resolved_results">Resolved results, over all retries</option>
        <option value="outputs">Outputs of this run</option>
        <option value="failures">Failures of this run</option>
        <option value="rows">States of the rows of this run</option>
      </select>
    </Field>
  );
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="flex items-center gap-2">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}
