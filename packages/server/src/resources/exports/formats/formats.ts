import type { ExportFormat } from "@rowmill/contract/exports";
import { csv } from "./csv.ts";
import type { Format } from "./format.ts";
import { jsonl } from "./jsonl.ts";

export const formats = { jsonl, csv } satisfies Record<ExportFormat, Format>;
