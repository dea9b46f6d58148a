/** Ids and numbers in the path. */
import type { Operation } from "@rowmill/contract/operation";
import type { IdKind } from "@rowmill/contract/schemas";
import { parseId, parseRowId, sayKind, wrongKind } from "../ids.ts";
import { ApiError, notFound } from "./errors.ts";

export function parseParams(o: Operation, raw: Record<string, string>): Record<string, string | number> {
  const params: Record<string, string | number> = {};
  for (const [name, kind] of Object.entries(o.params ?? {})) {
    const value = raw[name] ?? "";
    if (kind === "number") {
      if (!/^[1-9]\d{0,8}$/.test(value)) throw notFound(name);
      params[name] = Number(value);
    } else if (kind === "row") {
      if (!parseRowId(value)) throw noSuch(kind, value);
      params[name] = value;
    } else {
      const uuid = parseId(kind, value);
      if (uuid === undefined) throw noSuch(kind, value);
      params[name] = uuid;
    }
  }
  return params;
}

function noSuch(kind: IdKind, given: string): ApiError {
  const problem = wrongKind(given, kind, "the path");
  return problem === undefined ? notFound(sayKind(kind)) : new ApiError("not_found", problem);
}
