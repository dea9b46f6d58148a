import type { EventEnvelope } from "@rowmill/contract/events";

/** How many events an event stands for: a digest of row events stands for many. */
export const countOf = ({ data }: EventEnvelope): number => (data.object === "run_row_digest" ? data.count : 1);
