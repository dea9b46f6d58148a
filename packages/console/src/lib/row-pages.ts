/** Rows for a grid: from any position where they lie one after the other, else page after page. */
import { keepPreviousData, useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { pollEvery, useIsLive } from "./live/live.ts";
import { useSettled } from "./settled.ts";

export const PAGE_ROWS = 100;
/** Who drags the scroll bar passes a page with each frame: only those where it rests are fetched. */
const REST_MS = 120;

export interface RowPages<T> {
  /** Rows of the grid, as far as it is known. */
  count: number;
  rowAt: (at: number) => T | undefined;
  onSight: (first: number, last: number) => void;
  isLoading: boolean;
  /** The rows are those of another filter, until those of this one have come. */
  isStale: boolean;
  error: unknown;
}

/** Every page can be fetched at once: `fetchPage(2)` has the rows from 200 on. What is no longer in sight is broken off by its signal. */
export function useRowsByPosition<T>(
  key: readonly unknown[],
  count: number,
  fetchPage: (page: number, signal: AbortSignal) => Promise<readonly T[]>,
  pollMs: number | false = false,
): RowPages<T> {
  useIsLive();
  const [sight, setSight] = useState({ first: 0, last: 0 });
  const pages: number[] = [];
  if (count > 0)
    for (let page = Math.floor(sight.first / PAGE_ROWS); page <= Math.floor(sight.last / PAGE_ROWS); page++)
      pages.push(page);
  const isResting = useSettled(pages.join(), REST_MS) === pages.join();
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }) => fetchPage(page, signal),
      enabled: isResting,
      refetchInterval: pollMs === false ? false : pollEvery(pollMs),
      staleTime: pollMs === false ? Infinity : 0,
      gcTime: 60_000,
      retry: 1,
    })),
  });
  const onSight = useCallback(
    (first: number, last: number) =>
      setSight((before) => (before.first === first && before.last === last ? before : { first, last })),
    [],
  );
  return {
    count,
    rowAt: (at) => results[pages.indexOf(Math.floor(at / PAGE_ROWS))]?.data?.[at % PAGE_ROWS],
    onSight,
    isLoading: results.some(({ isPending }) => isPending),
    isStale: false,
    error: results.find(({ error }) => error !== null)?.error ?? null,
  };
}

interface CursorPage<T> {
  data: readonly T[];
  nextCursor: string | null;
}

/** The next page is fetched when the end of the known rows comes into sight. */
export function useRowsByCursor<T>(
  key: readonly unknown[],
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<CursorPage<T>>,
  isEnabled: boolean,
): RowPages<T> {
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
  const rows = (list.data?.pages ?? []).flatMap(({ data }) => data);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const known = rows.length;
  const onSight = useCallback(
    (_first: number, last: number) => {
      if (last >= known - 20 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    [known, hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  return {
    count: known + (hasNextPage ? 1 : 0),
    rowAt: (at) => rows[at],
    onSight,
    isLoading: list.isPending && isEnabled,
    isStale: list.isPlaceholderData,
    error: list.error,
  };
}
