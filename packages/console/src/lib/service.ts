import { queryOptions } from "@tanstack/react-query";
import { rowmill } from "./client.ts";

/** What the service is and keeps: it changes with a restart. */
export const serviceQuery = queryOptions({
  queryKey: ["service"],
  queryFn: () => rowmill.serviceInfo(),
  staleTime: 300_000,
});
