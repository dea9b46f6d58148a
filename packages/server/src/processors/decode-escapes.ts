/**
 * Takes one layer of the escapes of JSON and other languages, URLs, HTML and quoted-printable away, and the NULs between the characters of
 * UTF-16. A response may be megabytes of nothing else, and is read on the thread that serves everybody: so this is one walk over the
 * characters, where a regular expression with a function for each match takes ten times as long.
 */

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const EQUALS = 0x3d;
const OPEN_BRACE = 0x7b;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const OCTAL_DIGITS = 3;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const HASH = 0x23;
/** Of a character reference: zeros before it, and digits of it. */
const MAX_ZEROS = 4;
const MAX_HEX_DIGITS = 6;
const MAX_DECIMAL_DIGITS = 7;
const LAST_CODE_POINT = 0x10_ff_ff;

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  plus: "+",
  equals: "=",
  sol: "/",
  ast: "*",
  bsol: "\\",
  colon: ":",
  comma: ",",
  commat: "@",
  dollar: "$",
  excl: "!",
  grave: "`",
  hat: "^",
  hyphen: "-",
  lcub: "{",
  lowbar: "_",
  lpar: "(",
  lsqb: "[",
  num: "#",
  percnt: "%",
  period: ".",
  quest: "?",
  rcub: "}",
  rpar: ")",
  rsqb: "]",
  semi: ";",
  verbar: "|",
};
const LONGEST_NAME = 6;

/** An escape: what it stands for, and where the text goes on. A code below zero: it stands for itself. */
interface Escape {
  code: number;
  end: number;
}

const KEPT = -1;

export function decodeEscapes(text: string): string {
  // No escape is shorter than what it stands for.
  const decoded = new Uint16Array(text.length);
  let length = 0;
  const found: Escape = { code: 0, end: 0 };
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit !== 0 && !(isStart(unit) && readEscape(text, at, unit, found))) {
      decoded[length++] = unit;
      at++;
      continue;
    }
    if (unit === 0) at++;
    else if (found.code === KEPT) while (at < found.end) decoded[length++] = text.charCodeAt(at++);
    else {
      at = found.end;
      // What escapes U+0000 is left out as U+0000 is.
      if (found.code > 0xff_ff) {
        decoded[length++] = 0xd7_c0 + (found.code >> 10);
        decoded[length++] = 0xdc_00 | (found.code & 0x3_ff);
      } else if (found.code > 0) decoded[length++] = found.code;
    }
  }
  return Buffer.from(decoded.buffer, 0, 2 * length).toString("utf16le");
}

const isStart = (unit: number): boolean =>
  unit === BACKSLASH || unit === PERCENT || unit === AMPERSAND || unit === EQUALS;

/** Whether an escape begins there. */
function readEscape(text: string, at: number, start: number, found: Escape): boolean {
  if (start === BACKSLASH) return readBackslash(text, at, found);
  if (start === AMPERSAND) return readReference(text, at, found);
  if (start === EQUALS && readSoftBreak(text, at, found)) return true;
  if (!readHex(text, at + 1, 2, found)) return false;
  // A byte of UTF-8: no secret has characters that are written in several.
  if (found.code > 0x7f) found.code = KEPT;
  return true;
}

function readBackslash(text: string, at: number, found: Escape): boolean {
  switch (text[at + 1]) {
    case "u":
    case "U":
      return text.charCodeAt(at + 2) === OPEN_BRACE ? readBraced(text, at, found) : readHex(text, at + 2, 4, found);
    case "x":
    case "X":
      return readHex(text, at + 2, 2, found);
    case '"':
    case "\\":
    case "/":
      found.code = text.charCodeAt(at + 1);
      found.end = at + 2;
      return true;
    case "n":
    case "r":
    case "t":
      // Which of them makes no difference to what is looked for.
      found.code = LINE_FEED;
      found.end = at + 2;
      return true;
    default:
      return readOctal(text, at, found);
  }
}

/** `\u{2b}`. */
function readBraced(text: string, at: number, found: Escape): boolean {
  const digits = text.slice(at + 3, at + 4 + MAX_HEX_DIGITS).indexOf("}");
  if (digits <= 0 || !readHex(text, at + 3, digits, found)) return false;
  if (found.code > LAST_CODE_POINT) return false;
  found.end = at + 4 + digits;
  return true;
}

/** `\053`. */
function readOctal(text: string, at: number, found: Escape): boolean {
  let code = 0;
  for (let index = at + 1; index <= at + OCTAL_DIGITS; index++) {
    const digit = digitAt(text, index);
    if (digit > 7) return false;
    code = code * 8 + digit;
  }
  if (code > 0x7f) return false;
  found.code = code;
  found.end = at + 1 + OCTAL_DIGITS;
  return true;
}

/** The end of a line of quoted-printable, which is no end of the text's. */
function readSoftBreak(text: string, at: number, found: Escape): boolean {
  const hasReturn = text.charCodeAt(at + 1) === CARRIAGE_RETURN;
  if (text.charCodeAt(at + (hasReturn ? 2 : 1)) !== LINE_FEED) return false;
  found.code = 0;
  found.end = at + (hasReturn ? 3 : 2);
  return true;
}

function readReference(text: string, at: number, found: Escape): boolean {
  if (text.charCodeAt(at + 1) !== HASH) return readNamed(text, at, found);
  const isHex = (text.charCodeAt(at + 2) | 0x20) === 0x78;
  const base = isHex ? 16 : 10;
  const most = isHex ? MAX_HEX_DIGITS : MAX_DECIMAL_DIGITS;
  const start = at + (isHex ? 3 : 2);
  let [code, end] = [0, start];
  for (; end - start <= MAX_ZEROS + most; end++) {
    const digit = digitAt(text, end);
    if (digit >= base) break;
    code = code * base + digit;
  }
  const digits = end - start;
  // What has more digits than the largest one has zeros before it.
  if (digits === 0 || digits > MAX_ZEROS + most || code >= base ** most) return false;
  found.code = code > LAST_CODE_POINT ? KEPT : code;
  // Browsers read it without one, too.
  found.end = text.charCodeAt(end) === SEMICOLON ? end + 1 : end;
  return true;
}

function readNamed(text: string, at: number, found: Escape): boolean {
  const end = text.slice(at + 1, at + 2 + LONGEST_NAME).indexOf(";");
  const name = end === -1 ? "" : text.slice(at + 1, at + 1 + end).toLowerCase();
  if (!Object.hasOwn(NAMED, name)) return false;
  found.code = NAMED[name]?.charCodeAt(0) ?? KEPT;
  found.end = at + 2 + end;
  return true;
}

function readHex(text: string, at: number, digits: number, found: Escape): boolean {
  let code = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = digitAt(text, index);
    if (digit > 15) return false;
    code = code * 16 + digit;
  }
  found.code = code;
  found.end = at + digits;
  return true;
}

/** 0 to 15; more for what is no digit. */
function digitAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : 99;
}
