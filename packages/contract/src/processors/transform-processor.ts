import { Type } from "typebox";
import { Closed, Enum } from "../schemas.ts";

export const Transform = Closed(
  {
    type: Type.Literal("transform"),
    language: Type.Optional(Enum(["javascript"])),
    code: Type.String({
      minLength: 1,
      maxLength: 262_144,
      description:
        "A JavaScript module whose default export is a function from a row to a JSON value. It runs in a sandbox without network, files or clock.",
      examples: ["export default (row) => ({ name: row.name.toUpperCase() })"],
    }),
  },
  { title: "transform" },
);
