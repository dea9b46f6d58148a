import type { EventEnvelope } from "@rowmill/contract/event-payloads";

/** How many events an event stands for: a digest of row events stands for many. */
export const countOf = ({ data }: EventEnvelope): number => (data.object === "run_row_digest" ? data.count : 1);
