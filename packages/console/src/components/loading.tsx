import { LoaderCircle } from "lucide-react";
import { isUnreachable } from "../lib/reachable.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";

/**
 * While the code or the data of a screen is on its way. It appears after a moment: most screens are there before, and the region, which is
 * there at once, is known by then to readers of screens (`Working`).
 */
export function Loading() {
  return (
    <div role="status">
      <p className="flex animate-[appear_1ms_400ms_both] items-center justify-center gap-2 px-4 py-16 text-soft">
        <LoaderCircle aria-hidden size={16} className="animate-spin" />
        Loading…
      </p>
    </div>
  );
}

/**
 * Above what stands, which is of before until something arrives. It appears after a moment, as the other does. The region is always
 * there: readers of screens announce what appears in one, and often not one that appears with its text.
 */
export function Working({ isShown, children }: { isShown: boolean; children: string }) {
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-3 z-40 flex justify-center">
      {isShown && (
        <p className="card flex animate-[appear_1ms_400ms_both] items-center gap-2 px-3.5 py-1.5 text-soft shadow-float">
          <LoaderCircle aria-hidden size={15} className="animate-spin" />
          {children}
        </p>
      )}
    </div>
  );
}

/**
 * What stands above a list while it is read for the first time, and where it could not be read: then it is read again by itself when the
 * service can be reached, and for another reason when somebody asks.
 */
export function ListStatus({
  list: { isLoading, isOfBefore = false, error, tryAgain },
}: {
  list: { isLoading: boolean; isOfBefore?: boolean; error: unknown; tryAgain?: () => void };
}) {
  const again = tryAgain !== undefined && !isUnreachable(error) && <Button onClick={tryAgain}>Try again</Button>;
  return (
    <>
      {error !== null ? (
        <ErrorNotice error={error} {...(again !== false && { actions: again })} />
      ) : (
        isLoading && !isOfBefore && <Loading />
      )}
      <Working isShown={error === null && isOfBefore}>Loading…</Working>
    </>
  );
}
