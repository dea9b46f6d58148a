/** The failures by their cause: what happened, how often, what to do, and the retry of just that. */
import { useInfiniteQuery, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { isTerminal } from "@rowmill/client";
import type { FailureGroup, Run } from "@rowmill/client";
import { useState } from "react";
import { ListStatus } from "../../components/loading.tsx";
import { Hidden } from "../../components/notice.tsx";
import { Empty } from "../../components/page.tsx";
import { More } from "../../components/table.tsx";
import { rowmill } from "../../lib/client.ts";
import { plain } from "../../lib/format.ts";
import { pollEvery } from "../../lib/live/live.ts";
import { isMoving, runQuery } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";
import { RetryDialog } from "./retry-dialog.tsx";
import { FailureCode } from "./failure-code.tsx";

const POLL_MS = 3000;
/** Each has a message; further ones are read on demand. */
const CAUSES_AT_ONCE = 100;

export function RunFailures() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const { code: openCode } = useSearch({ from: "/frame/runs/$runId/failures" });
  const mayRead = useMay("results:read");
  const mayRetry = useMay("runs:write");
  const [retried, setRetried] = useState<FailureGroup["code"] | null>(null);
  const list = useCauses(run, mayRead);
  const actionOf = useActions();
  if (!mayRead) return <Hidden what="Failures are" scope="results:read" />;
  const groups = list.data?.pages.flatMap(({ data }) => data);
  return (
    <div className="flex flex-col gap-3">
      <ListStatus list={{ isLoading: groups === undefined, error: list.error, tryAgain: () => void list.refetch() }} />
      {groups?.length === 0 && (
        <Empty title="No row has failed.">
          {isTerminal(run)
            ? "Every row that was tried has an output."
            : "Failures appear here by their cause as soon as there are any."}
        </Empty>
      )}
      {byCode(groups ?? []).map(([code, causes]) => (
        <FailureCode
          key={code}
          run={run}
          code={code}
          causes={causes}
          mayHaveMore={list.hasNextPage}
          action={actionOf(code)}
          isOpen={openCode === code}
          onRetry={mayRetry && isTerminal(run) ? () => setRetried(code) : undefined}
        />
      ))}
      <More
        list={{
          hasMore: list.hasNextPage,
          isLoadingMore: list.isFetchingNextPage,
          loadMore: () => void list.fetchNextPage(),
        }}
      >
        Show more causes
      </More>
      {groups !== undefined && groups.length > 0 && !isTerminal(run) && mayRetry && (
        <p className="text-soft">A cause can be retried when the run has ended.</p>
      )}
      {retried !== null && (
        <RetryDialog run={run} selection={{ type: "codes", codes: [retried] }} onClose={() => setRetried(null)} />
      )}
    </div>
  );
}

/** Page by page; the largest cause first. */
function useCauses(run: Run, isEnabled: boolean) {
  return useInfiniteQuery({
    queryKey: ["runs", run.id, "failure-groups", isTerminal(run)],
    queryFn: async ({ pageParam }) => {
      const { data, nextCursor } = await rowmill.runs.failureGroups(run.id, {
        limit: CAUSES_AT_ONCE,
        cursor: pageParam,
      });
      return { data, nextCursor };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: isMoving(run) ? () => pollEvery(POLL_MS) : false,
    enabled: isEnabled,
  });
}

/** The causes of each code, which is what rows are read and retried by; the code of most rows first. */
function byCode(groups: readonly FailureGroup[]): [FailureGroup["code"], FailureGroup[]][] {
  const causes = Map.groupBy(groups, ({ code }) => code);
  const rowsOf = (of: readonly FailureGroup[]): number => of.reduce((sum, { count }) => sum + count, 0);
  return [...causes].sort(([, one], [, other]) => rowsOf(other) - rowsOf(one));
}

/** What to do about a failure, by its code. Empty: nothing is known that would help. */
function useActions(): (code: FailureGroup["code"]) => string {
  const { data: codes } = useQuery({
    queryKey: ["error-codes"],
    queryFn: () => rowmill.request("GET", "/v1/error-codes"),
    staleTime: Infinity,
  });
  return (code) => plain(codes?.rowFailures.find((known) => known.code === code)?.action ?? "");
}
