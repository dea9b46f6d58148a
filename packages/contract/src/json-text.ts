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

export const jsonTextOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));
