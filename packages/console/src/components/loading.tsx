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

/** What stands above a list while it is read for the first time, and where it could not be read. */
export function ListStatus({ list: { isLoading, error } }: { list: { isLoading: boolean; error: unknown } }) {
  if (error !== null) return <ErrorNotice error={error} />;
  return isLoading && <Loading />;
}
