/** Values of a program as JSON, without a loss that nobody sees. */

/** What JSON.stringify writes as `{}`, whatever it holds. A promise is a forgotten `await`. */
const WITHOUT_JSON = [Map, Set, Promise, ArrayBuffer, Blob, Error, RegExp];

/** The object around the whole, and the whole. */
const FIRST_IN_PATH = 2;

/**
 * A row as a line. `number` counts from 0 and names the row in an error. Every bigint is a text: as numbers, only the small ones of a
 * column would be exact, and where a large one comes is known too late to give the column one type.
 */
export function jsonLine(row: unknown, number: number): string {
  let column = "";
  // JSON.stringify calls it with the object whose member it is, before what is in the member.
  function encode(this: unknown, name: string, value: unknown): unknown {
    if (this === row) column = name;
    return encodedInRow(memberOf(this, name), value);
  }
  try {
    return `${JSON.stringify(row, encode)}\n`;
  } catch (error) {
    throw placed(error, () => placeOfRow(number, column));
  }
}

/** The body of a request. Values of its `rows` are named by row and column as in an upload, others by their path. */
export function jsonBody(body: unknown): string {
  /** The objects around the member that is written, from the outermost, and the names that lead into each. */
  const holders: unknown[] = [];
  const path: string[] = [];
  function encode(this: unknown, name: string, value: unknown): unknown {
    while (holders.length > 0 && holders.at(-1) !== this) holders.pop();
    // JSON.stringify puts the whole into an object of its own, under a name that is not part of a path.
    if (holders.length === 0) holders.push(this);
    else path.splice(holders.length - FIRST_IN_PATH, Infinity, name);
    const member = memberOf(this, name);
    const written =
      typeof member === "bigint" && isInSchema(path)
        ? exactInteger(member)
        : (rowsAt(path) === -1 ? encoded : encodedInRow)(member, value);
    if (typeof written === "object" && written !== null) holders.push(written);
    return written;
  }
  try {
    return JSON.stringify(body, encode);
  } catch (error) {
    throw placed(error, () => placeIn(path));
  }
}

class ValueWithoutJson extends Error {}

function placed(error: unknown, place: () => string): unknown {
  if (!(error instanceof ValueWithoutJson)) return error;
  return new TypeError(`${place()}: ${error.message}`, { cause: error });
}

/** Where operations take rows: the test of a job spec, and an inline upload. A schema may describe a member of this name, too. */
function rowsAt(path: readonly string[]): number {
  if (path[0] === "rows") return 0;
  return path[0] === "source" && path[1] === "rows" ? 1 : -1;
}

/** Where job specs take JSON Schemas, whose integers keep every digit. */
const SCHEMAS_AT = [["inputSchema"], ["outputSchema"], ["processor", "outputSchema"]];

const isInSchema = (path: readonly string[]): boolean =>
  SCHEMAS_AT.some((names) => path.length > names.length && names.every((name, at) => path[at] === name));

/** Not in the types yet, nor in older runtimes: there, the service refuses the text in place of a number. */
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };

const exactInteger = (value: bigint): unknown => (isExact(value) ? Number(value) : (rawJSON ?? String)(String(value)));

function placeIn(path: readonly string[]): string {
  const at = rowsAt(path);
  const number = path[at + 1];
  return at === -1 || number === undefined ? `/${path.join("/")}` : placeOfRow(Number(number), path[at + 2] ?? "");
}

function placeOfRow(number: number, column: string): string {
  return column === "" ? `row ${number}` : `row ${number}, column ${JSON.stringify(column)}`;
}

const memberOf = (holder: unknown, name: string): unknown => (holder as Record<string, unknown>)[name];

/** Programs give BigInt.prototype a `toJSON`, also one that rounds. */
const encodedInRow = (member: unknown, value: unknown): unknown =>
  typeof member === "bigint" ? String(member) : encoded(member, value);

/** What is written for a member. `value` is what its `toJSON` made of it: a Buffer has one, for an object with a list of numbers. */
function encoded(member: unknown, value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return isExact(value) ? Number(value) : String(value);
    case "number":
      if (value === Infinity || value === -Infinity)
        throw new ValueWithoutJson("infinity has no JSON form: replace it");
      return value;
    case "object":
      // Its own JSON form is null, like that of a date that is not there.
      if (member instanceof Date && Number.isNaN(member.getTime()))
        throw new ValueWithoutJson("an invalid Date has no JSON form: send null, or the text it was read from");
      if (ArrayBuffer.isView(member)) throw new ValueWithoutJson(reasonAgainst(member));
      for (const kind of WITHOUT_JSON)
        if (value instanceof kind)
          throw new ValueWithoutJson(`a value of type ${kind.name} has no JSON form: convert it first`);
      return value;
    default:
      return value;
  }
}

/** JSON.stringify makes of each an object with the places as names, or of a Buffer one with its bytes as numbers. */
function reasonAgainst(view: ArrayBufferView): string {
  const cure =
    view instanceof Uint8Array || view instanceof DataView
      ? "send bytes as a base64 text"
      : "convert it with Array.from";
  return `a value of type ${view.constructor.name} has no JSON form: ${cure}`;
}

/** Outside of rows, where the API has small integers. JSON numbers are doubles to most readers: a larger one is exact only as a text. */
function isExact(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
