/** What can be read from JSON text without parsing it. The text is taken to be JSON; for other text the results mean nothing. */

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, LOWER_U] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0x75];

/** `\u0000`, or an escaped half of a surrogate pair whose other half is not the next escape: no reader has to accept them. */
export function hasForbiddenEscape(text: string): boolean {
  let highEndsAt = -1;
  for (let at = text.indexOf("\\"); at !== -1;) {
    const unit = text.charCodeAt(at + 1) === LOWER_U ? readUnit(text, at + 2) : -1;
    const isLow = unit >= 0xdc_00 && unit <= 0xdf_ff;
    if (isLow !== (highEndsAt === at)) return true;
    if (unit === 0) return true;
    const end = at + (unit === -1 ? 2 : 6);
    highEndsAt = unit >= 0xd8_00 && unit <= 0xdb_ff ? end : -1;
    const isNext = text.charCodeAt(end) === BACKSLASH;
    if (highEndsAt !== -1 && !isNext) return true;
    at = isNext ? end : text.indexOf("\\", end);
  }
  return false;
}

/** Four hexadecimal digits; -1 for what is something else. */
function readUnit(text: string, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index++) {
    const code = text.charCodeAt(index);
    const lower = code | 0x20;
    if (code >= 0x30 && code <= 0x39) unit = unit * 16 + code - 0x30;
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57;
    else return -1;
  }
  return unit;
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
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) isInString = !isInString;
    else if (isInString) at += unit === BACKSLASH ? 1 : 0;
    else if (unit === BRACKET || unit === BRACE) {
      if (++depth > maxDepth) return true;
    } else if (unit === BRACKET + 2 || unit === BRACE + 2) depth--;
  }
  return false;
}

/**
 * Whether the text has more values than that: objects, arrays, and what stands between their commas. The time to parse a text goes by its
 * values; its characters, most of which stand within strings, take a hundredth of it.
 */
export function hasMoreValuesThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let values = 1;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) isInString = !isInString;
    else if (isInString) at += unit === BACKSLASH ? 1 : 0;
    else if ((unit === COMMA || unit === BRACKET || unit === BRACE) && ++values > most) return true;
  }
  return false;
}
