import { Type } from "typebox";

/** A text with `{{row.field}}` in it. */
export const Template = (description: string, maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });
