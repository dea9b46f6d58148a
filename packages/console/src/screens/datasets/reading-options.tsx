import { Choice } from "../../components/field.tsx";
import type { Reading } from "../../lib/uploads.ts";

const DELIMITERS = [
  ["", "Automatic"],
  [",", "Comma"],
  [";", "Semicolon"],
  ["\t", "Tab"],
  ["|", "Bar"],
] as const;

/** What no look at a file can say for sure, chosen before it is sent: the first row of a table without a header would name its columns. */
export function ReadingOptions({ value, onChange }: { value: Reading; onChange: (value: Reading) => void }) {
  const { csv = {} } = value;
  const isChosen = [csv.header, csv.delimiter, value.onInvalidRow].some((choice) => choice !== undefined);
  return (
    <details>
      <summary className="text-soft hover:underline">
        How the file is read{isChosen && <span className="font-medium text-ink">: as chosen here</span>}
      </summary>
      <div className="mt-3 flex flex-wrap gap-x-8 gap-y-4">
        <Choice
          label="First line of a table"
          value={csv.header === false ? "row" : "names"}
          options={[
            ["names", "Names the columns"],
            ["row", "Is a row"],
          ]}
          onChange={(first) => onChange({ ...value, csv: { ...csv, header: first === "names" ? undefined : false } })}
        />
        <Choice
          label="Delimiter of a table"
          columns={3}
          value={csv.delimiter ?? ""}
          options={DELIMITERS}
          onChange={(delimiter) =>
            onChange({ ...value, csv: { ...csv, delimiter: delimiter === "" ? undefined : delimiter } })
          }
        />
        <Choice
          label="Rows that cannot be read"
          value={value.onInvalidRow ?? "reject"}
          options={[
            ["reject", "Refuse the file"],
            ["skip", "Are left out"],
          ]}
          onChange={(choice) => onChange({ ...value, onInvalidRow: choice === "skip" ? choice : undefined })}
        />
      </div>
      <p className="mt-3 text-xs text-soft">
        A table is CSV or TSV. Without names in its first line, the columns are called column_1, column_2 and so on.
      </p>
    </details>
  );
}
