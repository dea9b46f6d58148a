/**
 * Finds a secret whose characters stand apart in a text: base64 in lines, hexadecimal digits in pairs, a token in groups. Text and secret
 * are compared without what may stand between, in one walk over the text. Quotes and brackets stay: what they part is not one value.
 */

/** Shorter ones stand in texts by chance, once everything between their characters is left out. */
export const MIN_FOLDED_CHARACTERS = 16;

/** Of a beginning at the end of a text that was cut. */
const MIN_FOLDED_TAIL_CHARACTERS = 8;

/** A line of 76 characters and its end, or ` 0x74,`: what stands in a text for one character of what is looked for. */
const CHARACTERS_OF_ONE = 6;

/** Characters of a needle's beginning, as many as one integer holds: hardly a text has them without the rest. */
const BEGINNING_CHARACTERS = 4;
/** Places for such beginnings, as a power of two: of a hundred characters of a text, about one meets an occupied place by chance. */
const BEGINNING_BITS = 10;

/** By code unit, 1 for what may stand between: white space, control characters, and some punctuation. */
const IS_SEPARATOR = new Uint8Array(256).fill(1, 0, 0x21);
for (const character of ":-,.;_|+/=\u00a0") IS_SEPARATOR[character.charCodeAt(0)] = 1;
const [ZERO, LOWER_X] = [0x30, 0x78];
/** In which small letters of ASCII differ from capital ones. */
const CASE_BIT = 0x20;

interface Folded {
  text: string;
  /** Where each of its characters stands in what was folded. */
  places: Uint32Array;
}

export interface FoldedSecret {
  isIn(text: string): boolean;
  /** Puts `instead` in the place of each. */
  replace(text: string, instead: string): string;
  /** Where a beginning of the secret starts at the end of the text; -1 without one. */
  tailAt(text: string): number;
}

/** `exact` are compared with their case; `hex`, in small letters, without. */
export function foldSecret(exact: readonly string[], hex: readonly string[]): FoldedSecret {
  const needles = [...needlesOf(exact, false), ...needlesOf(hex, true)];
  const lengths = needles.map(({ folded }) => folded.length);
  const [longest, shortest] = [Math.max(0, ...lengths), Math.min(...lengths)];
  const mayHold = lookForBeginnings(needles);

  /** Where they stand in the text, in order, none within another. */
  function find(text: string): Place[] {
    // Nothing that is folded gets longer. Without needles nothing is as short.
    if (text.length < shortest || !mayHold(text)) return [];
    const { text: folded, places } = fold(text);
    const lower = folded.toLowerCase();
    const found = needles.flatMap((needle) => placesOf(needle, needle.isHex ? lower : folded, places, text));
    let end = 0;
    return found
      .toSorted((a, b) => a.start - b.start)
      .filter((place) => {
        const isFree = place.start >= end;
        if (isFree) ({ end } = place);
        return isFree;
      });
  }

  return {
    isIn: (text) => find(text).length > 0,
    replace(text, instead) {
      let replaced = "";
      let from = 0;
      for (const { start, end } of find(text)) {
        replaced += text.slice(from, start) + instead;
        from = end;
      }
      return from === 0 ? text : replaced + text.slice(from);
    },
    tailAt(text) {
      if (longest === 0 || text.length < MIN_FOLDED_TAIL_CHARACTERS) return -1;
      const start = Math.max(0, text.length - longest * CHARACTERS_OF_ONE);
      const end = text.slice(start);
      if (!mayHold(end)) return -1;
      const folded = fold(end);
      const lower = folded.text.toLowerCase();
      const tail = Math.max(
        0,
        ...needles.map((needle) =>
          beginningAtEnd(needle.isHex ? lower : folded.text, needle.folded, MIN_FOLDED_TAIL_CHARACTERS),
        ),
      );
      return tail === 0 ? -1 : start + (folded.places[folded.text.length - tail] ?? 0);
    },
  };
}

/** What is looked for. What is left out at its end must follow as it is: without it, it is the beginning of a secret that was cut. */
interface Needle {
  folded: string;
  end: string;
  isHex: boolean;
}

interface Place {
  start: number;
  end: number;
}

/**
 * Whether a text may hold a needle, or the beginning of one at its end: false is certain, and true is not. Most texts hold none, and to fold
 * them, with the place of each character, costs several times as much as to walk through them.
 */
function lookForBeginnings(needles: readonly Needle[]): (text: string) => boolean {
  const beginnings = new Set<number>();
  const occupied = new Uint8Array(2 ** BEGINNING_BITS);
  for (const { folded } of needles) {
    let beginning = 0;
    for (let at = 0; at < BEGINNING_CHARACTERS; at++) beginning = withNext(beginning, folded.charCodeAt(at));
    beginnings.add(beginning);
    occupied[placeOf(beginning)] = 1;
  }
  return (text) => {
    let last = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 256 && IS_SEPARATOR[unit] === 1) continue;
      if (isPrefixOfHex(text, at, unit)) {
        at++;
        continue;
      }
      last = withNext(last, unit);
      if (occupied[placeOf(last)] === 1 && beginnings.has(last)) return true;
    }
    return false;
  };
}

/** The last four characters, without the case of letters. Other texts that come to the same are compared in full afterwards. */
const withNext = (last: number, unit: number): number => (last << 8) | (unit & 0xff) | CASE_BIT;
const placeOf = (beginning: number): number => Math.imul(beginning, 0x9e_37_79_b1) >>> (32 - BEGINNING_BITS);

function needlesOf(texts: readonly string[], isHex: boolean): Needle[] {
  const needles = new Map<string, Needle>();
  for (const text of texts) {
    const { text: folded, places } = fold(text);
    if (folded.length < MIN_FOLDED_CHARACTERS) continue;
    needles.set(folded, { folded, end: text.slice((places[folded.length - 1] ?? 0) + 1), isHex });
  }
  return [...needles.values()];
}

function placesOf({ folded: needle, end: ending }: Needle, folded: string, places: Uint32Array, text: string): Place[] {
  const found: Place[] = [];
  for (let at = folded.indexOf(needle); at !== -1; at = folded.indexOf(needle, at + needle.length)) {
    const end = (places[at + needle.length - 1] ?? 0) + 1;
    if (text.startsWith(ending, end)) found.push({ start: places[at] ?? 0, end: end + ending.length });
  }
  return found;
}

/** With how many characters of the beginning of `looked` the text ends, not all of them; 0 for fewer than `least`. */
export function beginningAtEnd(text: string, looked: string, least: number): number {
  const last = text.charCodeAt(text.length - 1);
  for (let length = Math.min(looked.length - 1, text.length); length >= least; length--)
    // Mostly it is another character already.
    if (looked.charCodeAt(length - 1) === last && text.endsWith(looked.slice(0, length))) return length;
  return 0;
}

function fold(text: string): Folded {
  const units = new Uint16Array(text.length);
  const places = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 256 && IS_SEPARATOR[unit] === 1) continue;
    if (isPrefixOfHex(text, at, unit)) {
      at++;
      continue;
    }
    units[length] = unit;
    places[length++] = at;
  }
  return { text: Buffer.from(units.buffer, 0, 2 * length).toString("utf16le"), places };
}

/** That of `0x74`, where nothing stands right before it. */
const isPrefixOfHex = (text: string, at: number, unit: number): boolean =>
  unit === ZERO && (text.charCodeAt(at + 1) | CASE_BIT) === LOWER_X && !isLetterOrDigit(text.charCodeAt(at - 1));

const isLetterOrDigit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || ((unit | CASE_BIT) >= 0x61 && (unit | CASE_BIT) <= 0x7a);
