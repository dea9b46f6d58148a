/** The page of limits. */
import { settings } from "@rowmill/server/config";
import { constantOf, inBytes, inTime } from "./constants.ts";
import { limitsOfInput } from "./limit-table.ts";
import { limitsOfOutput } from "./limit-table-output.ts";
import { limitsOfWork } from "./limit-table-work.ts";
import type { Limit } from "./limit-table.ts";
import { cell, code, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";

export const limitsPage = (): Page => ({
  path: "limits.md",
  text: `${paragraphs(
    "# Limits",
    GENERATED,
    "What a customer of the service may meet. Values with a name are [settings](settings.md), shown with their default; the others are fixed. The tables of the [API](api.md) have the limits of single members. An organization may have limits of its own, which the admin sets (`limits` of an [organization](api/organizations.md#the-organization-object)).",
    ...[...limitsOfInput, ...limitsOfWork, ...limitsOfOutput].map(({ title, limits }) =>
      paragraphs(
        `## ${title}`,
        table(
          ["limit", "value", "why", "beyond it"],
          limits.map((limit) => [cell(limit.what), valueOf(limit), cell(limit.why), cell(limit.beyond)]),
        ),
      ),
    ),
  )}\n`,
});

function valueOf({ value, unit }: Limit): string {
  if (typeof value === "number") return inWords(value, unit);
  if (typeof value !== "string") return inWords(constantOf(value[0], value[1]), unit);
  return `${inWords(Number(settings[value].defaultText), unit)}, ${code(value)}`;
}

function inWords(value: number, unit: Limit["unit"]): string {
  if (!Number.isFinite(value)) throw new Error(`no number: ${value}`);
  switch (unit) {
    case "bytes":
      return inBytes(value);
    case "milliseconds":
      return inTime(value / 1_000);
    case "seconds":
      return inTime(value);
    case "hours":
      return inTime(value * 3_600);
    case "days":
      return inTime(value * 86_400);
    case "characters":
      return `${value.toLocaleString("en")} characters`;
    case "count":
      return value.toLocaleString("en");
  }
}
