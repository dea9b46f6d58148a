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
  const [contents, setContents] = useState<Contents>("resolved_results");
  const [format, setFormat] = useState<Export["format"]>("jsonl");
  const [compression, setCompression] = useState<"none" | "gzip" | "zstd">("none");
  const [includeInput, setIncludeInput] = useState(true);
  const [csv, setCsv] = useState<Csv>({ delimiter: ",", byteOrderMark: false, spreadsheet: false });
  async function create(): Promise<void> {
    await onCreate({
      ...(contents === "table" ? { type: "resolved_results", layout: "flat" } : { type: contents, includeInput }),
      format,
      ...(format === "parquet" ? {} : { compression }),
      ...(format === "csv" ? csv : {}),
    });
    onClose();
  }
  return (
    <ActionDialog title="New file" width="max-w-md" action="Write the file" onAct={create} onClose={onClose}>
      <ContentsField contents={contents} onChange={setContents} />
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
      {contents !== "table" && (
        <Check isOn={includeInput} onChange={setIncludeInput} label="With the input of each row" />
      )}
      {format === "csv" && <CsvFields csv={csv} onChange={setCsv} />}
    </ActionDialog>
  );
}

interface Csv {
  delimiter: "," | ";" | "\t";
  byteOrderMark: boolean;
  spreadsheet: boolean;
}

/** How a file for a spreadsheet is written. */
function CsvFields({ csv, onChange }: { csv: Csv; onChange: (csv: Csv) => void }) {
  return (
    <>
      <Choice
        label="Between cells"
        value={csv.delimiter}
        onChange={(delimiter) => onChange({ ...csv, delimiter })}
        options={[
          [",", "Comma"],
          [";", "Semicolon"],
          ["\t", "Tab"],
        ]}
      />
      <Check
        isOn={csv.byteOrderMark}
        onChange={(byteOrderMark) => onChange({ ...csv, byteOrderMark })}
        label="With a byte order mark, which Excel needs"
      />
      <Check
        isOn={csv.spreadsheet}
        onChange={(spreadsheet) => onChange({ ...csv, spreadsheet })}
        label="Guard spreadsheets against formulas in cells"
      />
    </>
  );
}

/** The flat table has the input of each row in any case. */
type Contents = Export["type"] | "table";

function ContentsField({ contents, onChange }: { contents: Contents; onChange: (contents: Contents) => void }) {
  return (
    <Field label="Contents">
      <select className="input" value={contents} onChange={({ target }) => onChange(target.value as Contents)}>
        <option value="table">One flat table, over all runs up to this one</option>
        <option value="resolved_results">Resolved results, over all runs up to this one</option>
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
