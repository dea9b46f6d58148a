/** Rows of a program as JSON lines, without a loss that nobody sees. */

/** What JSON.stringify writes as `{}`, whatever it holds. A promise is a forgotten `await`. */
const WITHOUT_JSON = [Map, Set, Promise, ArrayBuffer];

/** A row as a line. `number` counts from 0 and names the row in an error. */
export function jsonLine(row: unknown, number: number): string {
  let column = "";
  // JSON.stringify calls it with the object whose member it is, before what is in the member.
  function encode(this: unknown, name: string, value: unknown): unknown {
    if (this === row) column = name;
    return encoded(value);
  }
  try {
    return `${JSON.stringify(row, encode)}\n`;
  } catch (error) {
    if (!(error instanceof ValueWithoutJson)) throw error;
    const place = column === "" ? `row ${number}` : `row ${number}, column ${JSON.stringify(column)}`;
    throw new TypeError(`${place}: ${error.message}`, { cause: error });
  }
}

class ValueWithoutJson extends Error {}

function encoded(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return isExact(value) ? Number(value) : String(value);
    case "number":
      if (value === Infinity || value === -Infinity)
        throw new ValueWithoutJson("infinity has no JSON form: replace it");
      return value;
    case "object":
      for (const kind of WITHOUT_JSON)
        if (value instanceof kind)
          throw new ValueWithoutJson(`a value of type ${kind.name} has no JSON form: convert it first`);
      return value;
    default:
      return value;
  }
}

/** JSON numbers are doubles to most readers: a larger integer stays exact only as a text. */
function isExact(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
