import { LoaderCircle } from "lucide-react";
import { ErrorNotice } from "./notice.tsx";

/** While the code or the data of a screen is on its way. It appears after a moment: most screens are there before. */
export function Loading() {
  return (
    <p
      role="status"
      className="flex animate-[appear_1ms_400ms_both] items-center justify-center gap-2 px-4 py-16 text-soft"
    >
      <LoaderCircle aria-hidden size={16} className="animate-spin" />
      Loading…
    </p>
  );
}

/** Above what stands, which is of before until something arrives. It appears after a moment, as the other does. */
export function Working({ children }: { children: string }) {
  return (
    <div className="pointer-events-none fixed inset-x-0 top-3 z-40 flex animate-[appear_1ms_400ms_both] justify-center">
      <p role="status" className="card flex items-center gap-2 px-3.5 py-1.5 text-soft shadow-float">
        <LoaderCircle aria-hidden size={15} className="animate-spin" />
        {children}
      </p>
    </div>
  );
}

/** What stands above a list while it is read for the first time, and where it could not be read. */
export function ListStatus({
  list: { isLoading, isOfBefore, error },
}: {
  list: { isLoading: boolean; isOfBefore?: boolean; error: unknown };
}) {
  if (error !== null) return <ErrorNotice error={error} />;
  if (isOfBefore === true) return <Working>Loading…</Working>;
  return isLoading && <Loading />;
}
