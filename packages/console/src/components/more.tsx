import type { Listed } from "../lib/lists.ts";
import { Button } from "./button.tsx";
import { plural } from "../lib/format.ts";

/** The next page of a list. */
export function More({ list }: { list: Pick<Listed<unknown>, "hasMore" | "isLoadingMore" | "loadMore"> }) {
  if (!list.hasMore) return null;
  return (
    <Button className="self-center" isBusy={list.isLoadingMore} onClick={list.loadMore}>
      Show more
    </Button>
  );
}

/** What has come since the list was drawn. */
export function Newer({ list, one }: { list: Pick<Listed<unknown>, "newCount" | "showNew">; one: string }) {
  if (list.newCount === 0) return null;
  return (
    <Button className="self-start" onClick={list.showNew}>
      {plural(list.newCount, `new ${one}`)}
    </Button>
  );
}

/** Finds things by how their name begins. */
export function NameFilter({ value, onChange }: { value: string | undefined; onChange: (name: string) => void }) {
  return (
    <input
      aria-label="Name begins with"
      type="search"
      className="input w-56!"
      placeholder="Name begins with…"
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
