/** Asks before what is written in a job spec is lost, by a link, the back button, a reload or a closed tab. */
import { useBlocker } from "@tanstack/react-router";
import { Confirm } from "../../components/dialog.tsx";
import { STARTS } from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Processor } from "../../lib/specs.ts";

export function LeaveGuard({ draft }: { draft: Draft }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isWritten(draft),
    enableBeforeUnload: () => isWritten(draft),
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave"
      closing="Stay"
      onClose={blocker.reset}
      onConfirm={async () => blocker.proceed()}
    >
      What is written here is not saved, and is lost when you leave.
    </Confirm>
  );
}

/** Whether something would be lost. A type that was looked at and left is nothing written. */
function isWritten({ saved, isChanged, title, name, settings, processor, drafts, form, writes }: Draft): boolean {
  if (writes === 0) return false;
  if (saved === undefined ? name.trim() !== "" || settings !== undefined : isChanged || title !== saved.name)
    return true;
  if (form.current?.querySelector("[data-unfinished], [data-syntax-error]") != null) return true;
  const isSaved = (other: Processor): boolean => JSON.stringify(other) === JSON.stringify(saved?.processor);
  return Object.values({ ...drafts, [processor.type]: processor }).some((other) => !isBlank(other) && !isSaved(other));
}

/** A connection and a model are chosen by the form itself where there is one. */
const isBlank = (processor: Processor): boolean =>
  JSON.stringify(processor.type === "llm" ? { ...processor, connection: "", model: "" } : processor) ===
  JSON.stringify(STARTS[processor.type]);
