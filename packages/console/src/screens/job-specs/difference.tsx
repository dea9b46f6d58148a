/** Two values as JSON, line by line: what went and what came. */
import { plural, visible } from "../../lib/format.ts";

interface Line {
  kind: "same" | "gone" | "new" | "left out";
  text: string;
}
/** Lines without a change that are shown beside one. */
const CONTEXT_LINES = 4;
/** Lines compared at most: the table of the comparison grows with their product. */
const MAX_LINES = 1500;

export function Difference({ before, after }: { before: unknown; after: unknown }) {
  const lines = compare(linesOf(before), linesOf(after));
  if (lines.every(({ kind }) => kind === "same")) return <p className="text-soft">Nothing is different.</p>;
  return (
    <pre
      tabIndex={0}
      aria-label="Differences"
      className="card max-h-[480px] overflow-auto py-2 font-mono text-xs leading-5"
    >
      {withoutFar(lines).map(({ kind, text }, i) => (
        <span
          key={i}
          className={`block px-3 whitespace-pre-wrap ${kind === "gone" ? "bg-bad/10 text-bad" : kind === "new" ? "bg-good/10 text-good" : "text-soft"}`}
        >
          {kind === "gone" ? "- " : kind === "new" ? "+ " : kind === "left out" ? "" : "  "}
          {visible(text)}
        </span>
      ))}
    </pre>
  );
}

/** What is far from each change is counted, and not shown. */
function withoutFar(lines: readonly Line[]): Line[] {
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ kind }) => kind !== "same");
  const shown: Line[] = [];
  let far = 0;
  const leaveOut = (): void => {
    if (far > 0) shown.push({ kind: "left out", text: `⋯ ${plural(far, "line")} without a change` });
    far = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (!isNear(at)) {
      far += 1;
      continue;
    }
    leaveOut();
    shown.push(line);
  }
  leaveOut();
  return shown;
}

/** Texts of several lines are shown as lines, or a change of one word would mark a whole prompt. */
const linesOf = (value: unknown): string[] =>
  JSON.stringify(value, null, 2).replaceAll("\\n", "\n    ").split("\n").slice(0, MAX_LINES);

function compare(before: string[], after: string[]): Line[] {
  // Longest common subsequence, from the ends.
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const row = table[i];
      if (row === undefined) continue;
      row[j] =
        before[i] === after[j] ? (table[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(table[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: "same", text: before[i] ?? "" });
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0)))
      lines.push({ kind: "gone", text: before[i++] ?? "" });
    else lines.push({ kind: "new", text: after[j++] ?? "" });
  }
  return lines;
}
