/**
 * How many instructions the counted repeats of an RE2 pattern add, without compiling it: each repeat is a copy of what it repeats. A
 * pattern of 63 kB takes 20 seconds to compile where it has many repeats, and some milliseconds without them.
 */

/** `{3}`, `{3,}`, `{3,5}`; RE2 allows at most 1,000. */
const REPEAT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;
/** Behind a parenthesis: a name, or flags. */
const GROUP_START = /\?(?:P?<\w*>|[a-zA-Z-]*:?)/y;

/** About; what the compiler makes shorter afterwards is counted. Takes time in proportion to the pattern, whatever is in it. */
export function repeatGrowth(pattern: string): number {
  let growth = 0;
  // Sizes: of what stands before in the groups around, of this group so far, and of what a repeat would repeat.
  const around: number[] = [];
  let [group, last] = [0, 0];
  for (let at = 0; at < pattern.length;) {
    const character = pattern.charAt(at);
    const repeat = character === "{" ? matchAt(REPEAT, pattern, at) : null;
    if (repeat !== null) {
      const times = Math.max(Number(repeat[1]), Number(repeat[2] ?? 0), 1);
      growth += last * (times - 1);
      group += last * (times - 1);
      last *= times;
      at += repeat[0].length;
    } else if (character === "(") {
      around.push(group);
      [group, last] = [0, 0];
      at += 1 + (matchAt(GROUP_START, pattern, at + 1)?.[0].length ?? 0);
    } else if (character === ")") {
      last = group;
      group += around.pop() ?? 0;
      at++;
    } else if ("*+?|^$".includes(character)) {
      at++;
    } else {
      const end = endOfAtom(pattern, at);
      last = 1;
      group += 1;
      at = end;
    }
  }
  return growth;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** Of a character, an escape, or a class. One that is not closed reaches to the end: the compiler refuses it. */
function endOfAtom(pattern: string, at: number): number {
  if (pattern.charAt(at) === "[") return endOfClass(pattern, at);
  if (pattern.charAt(at) !== "\\") return at + 1;
  const escaped = pattern.charAt(at + 1);
  if (escaped === "Q") return behind("\\E", pattern, at);
  return "pPx".includes(escaped) && pattern.charAt(at + 2) === "{" ? behind("}", pattern, at) : at + 2;
}

function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern.charAt(at) === "^") at++;
  // A bracket at the beginning is one of its characters.
  if (pattern.charAt(at) === "]") at++;
  while (at < pattern.length && pattern.charAt(at) !== "]")
    if (pattern.startsWith("[:", at)) at = behind(":]", pattern, at);
    else at += pattern.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

function behind(end: string, pattern: string, at: number): number {
  const found = pattern.indexOf(end, at);
  return found === -1 ? pattern.length : found + end.length;
}
