/**
 * A value that is JSON text already. Rows and outputs are passed on as they are stored: a number with more digits than a
 * JavaScript number holds keeps them.
 */
export class JsonText<T> {
  readonly text: string;
  /** Only a type: what the text says. */
  declare readonly value?: T;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object some of whose members are JSON text already. As in JSON, members that are undefined are left out. */
export const objectTextOf = <T extends object>(members: { [K in keyof T]: T[K] | JsonText<T[K]> }): JsonText<T> =>
  new JsonText(
    `{${Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${JSON.stringify(name)}:${jsonTextOf(value)}`)
      .join(",")}}`,
  );

export const jsonTextOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));
