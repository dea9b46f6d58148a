/** Lists that are read page by page. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Page } from "@rowmill/client";
import { pollEvery, useIsLive } from "./live/live.ts";

interface ListOptions<T> {
  /** Milliseconds between two looks at the first page where no event announces a change; none for what does not change by itself. */
  pollMs?: number | false;
  /** No event of the stream announces what is new here: deliveries, and entries of the audit. */
  isUnannounced?: boolean;
  /** The newest items, where a page of the list is too large to be read at each event. */
  fetchNewest?: () => PromiseLike<Pick<Page<T>, "data">>;
  enabled?: boolean;
}

export interface Listed<T> {
  items: readonly T[];
  isLoading: boolean;
  /** What is shown belongs to the filter before, until the list of this one arrives. */
  isOfBefore: boolean;
  error: unknown;
  /** Reads it again, from the beginning. */
  tryAgain: () => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  pageCount: number;
  /** Items that have come since the list was drawn: shown when somebody asks, so that no row jumps away under the pointer. */
  newCount: number;
  showNew: () => void;
}

/** The id after (1) or before (-1) that of an item; undefined at the ends, and where the item is not in the list. */
export function neighborOf(items: readonly { id: string }[], id: string, step: number): string | undefined {
  const at = items.findIndex((item) => item.id === id);
  return at === -1 ? undefined : items[at + step]?.id;
}

/** Whether the list is known to have nothing: the empty list of another filter is not. */
export const isEmpty = ({ items, isLoading, isOfBefore, error }: Listed<unknown>): boolean =>
  items.length === 0 && !isLoading && !isOfBefore && error === null;

export function useList<T extends { id: string }>(
  key: readonly unknown[],
  fetchPage: (cursor: string | undefined) => PromiseLike<Pick<Page<T>, "data" | "nextCursor">>,
  {
    pollMs = false,
    isUnannounced = false,
    enabled = true,
    fetchNewest = () => fetchPage(undefined),
  }: ListOptions<T> = {},
): Listed<T> {
  useIsLive();
  const list = useInfiniteQuery({
    queryKey: [...key, "pages"],
    queryFn: async ({ pageParam }) => {
      const { data, nextCursor } = await fetchPage(pageParam);
      return { data, nextCursor };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    refetchOnWindowFocus: false,
  });
  const latest = useQuery({
    queryKey: [...key, "latest"],
    queryFn: async () => (await fetchNewest()).data,
    refetchInterval: pollMs === false || isUnannounced ? pollMs : pollEvery(pollMs),
    enabled: enabled && pollMs !== false && list.data !== undefined,
  });
  const isNewer = latest.dataUpdatedAt > list.dataUpdatedAt;
  const fresh = new Map((isNewer ? (latest.data ?? []) : []).map((item) => [item.id, item]));
  const drawn = (list.data?.pages ?? []).flatMap(({ data }) => data);
  const known = new Set(drawn.map(({ id }) => id));
  const newCount = [...fresh.keys()].filter((id) => !known.has(id)).length;
  return {
    items: drawn.map((item) => fresh.get(item.id) ?? item),
    isLoading: list.isPending && enabled,
    isOfBefore: list.isPlaceholderData,
    error: list.error,
    tryAgain: () => void list.refetch(),
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    loadMore: () => void list.fetchNextPage(),
    pageCount: list.data?.pages.length ?? 0,
    newCount,
    showNew: () => void list.refetch(),
  };
}
