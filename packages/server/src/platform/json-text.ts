/** What can be read from JSON text without parsing it. The text is taken to be JSON; for other text the results mean nothing. */

const ESCAPES = /\\(?:u([0-9a-fA-F]{4})|.)/gs;

/** `\u0000`, or an escaped half of a surrogate pair whose other half is not the next escape: no reader has to accept them. */
export function hasForbiddenEscape(text: string): boolean {
  if (!text.includes("\\u")) return false;
  let highEndsAt = -1;
  for (const match of text.matchAll(ESCAPES)) {
    const unit = match[1] === undefined ? undefined : Number.parseInt(match[1], 16);
    const isLow = unit !== undefined && unit >= 0xdc_00 && unit <= 0xdf_ff;
    if (isLow !== (highEndsAt === match.index)) return true;
    if (unit === 0) return true;
    highEndsAt = unit !== undefined && unit >= 0xd8_00 && unit <= 0xdb_ff ? match.index + match[0].length : -1;
    if (highEndsAt !== -1 && text[highEndsAt] !== "\\") return true;
  }
  return false;
}

/** Text nested that deep has that many closing brackets; most texts have few and need no scan. */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  let brackets = 0;
  for (const bracket of ["}", "]"])
    for (let at = text.indexOf(bracket); at !== -1 && brackets <= maxDepth; at = text.indexOf(bracket, at + 1))
      brackets++;
  if (brackets <= maxDepth) return false;
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (isInString) {
      if (character === "\\") i++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "[" || character === "{") {
      if (++depth > maxDepth) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}
