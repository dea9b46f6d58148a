/**
 * Regions of source files, which code blocks of the documentation show. A region begins with a line `#region NAME` and ends with
 * `#endregion`, both in a comment of the file's language. The lines of the marks are never shown, those of inner regions neither.
 */
const BEGIN = /^\s*(?:\/\/|\/\*|#|--|<!--)\s*#region\s+([\w-]+)\s*(?:\*\/|-->)?\s*$/;
const END = /^\s*(?:\/\/|\/\*|#|--|<!--)\s*#endregion(?:\s+[\w-]+)?\s*(?:\*\/|-->)?\s*$/;

interface Region {
  name: string;
  lines: string[];
}

/** The text of a region, or of the whole file where `name` is undefined: without marks, common indentation and blank ends. */
export function readRegion(text: string, name: string | undefined): string {
  const whole: string[] = [];
  const open: Region[] = [];
  const regions = new Map<string, string[]>();
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const begin = BEGIN.exec(line)?.[1];
    if (begin !== undefined) {
      if (regions.has(begin)) throw new Error(`region "${begin}" begins twice`);
      const region = { name: begin, lines: [] };
      regions.set(begin, region.lines);
      open.push(region);
    } else if (END.test(line)) {
      if (open.pop() === undefined) throw new Error("#endregion without #region");
    } else {
      whole.push(line);
      for (const region of open) region.lines.push(line);
    }
  }
  const unfinished = open.at(-1);
  if (unfinished !== undefined) throw new Error(`region "${unfinished.name}" has no #endregion`);
  const lines = name === undefined ? whole : regions.get(name);
  if (lines === undefined) {
    const known = [...regions.keys()];
    throw new Error(`no region "${name}"${known.length === 0 ? "" : `; there are ${known.join(", ")}`}`);
  }
  return withoutCommonIndentation(withoutBlankEnds(lines)).join("\n");
}

function withoutBlankEnds(lines: readonly string[]): string[] {
  const isText = (line: string): boolean => line.trim() !== "";
  const first = lines.findIndex(isText);
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}

function withoutCommonIndentation(lines: readonly string[]): string[] {
  const indentations = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  let common = indentations[0] ?? "";
  for (const indentation of indentations) while (!indentation.startsWith(common)) common = common.slice(0, -1);
  return lines.map((line) => (line.trim() === "" ? "" : line.slice(common.length)));
}
