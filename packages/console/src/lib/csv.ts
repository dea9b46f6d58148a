/** A table as a file: RFC 4180, and without formulas that a spreadsheet would run. */
export function toCsv(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return `${[head, ...rows].map((row) => row.map(cellOf).join(",")).join("\n")}\n`;
}

function cellOf(value: string | number | null): string {
  if (value === null) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveFile(name: string, text: string, type = "text/csv"): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has opened it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
