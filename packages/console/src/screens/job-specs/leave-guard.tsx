/** Asks before what is written in a job spec is lost, by a link, the back button, a reload or a closed tab. */
import { useRouter } from "@tanstack/react-router";
import type { BlockerFn } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Confirm } from "../../components/dialog.tsx";
import { mayAskForUnsaved, reportUnsaved } from "../../lib/unsaved.ts";
import { useLatest } from "./draft.ts";
import type { Draft } from "./draft.ts";

type Navigation = Parameters<BlockerFn>[0];

/** `isSaving`: a save is under way, after which the screen can be left without a question if nothing was written since it began. */
export function LeaveGuard({ draft, isSaving }: { draft: Draft; isSaving: boolean }) {
  const { asked, leave, stay } = useRefusedNavigation(draft);
  useEffect(() => {
    if (asked !== undefined && !isSaving && !isWritten(draft)) leave();
  });
  if (asked === undefined) return null;
  const isAllSent = isSaving && draft.sentWrites === draft.writes;
  return (
    <Confirm
      title={isAllSent ? "Leave before it is saved?" : "Leave without saving?"}
      action="Leave"
      closing="Stay"
      onClose={stay}
      onConfirm={async () => leave()}
    >
      {isAllSent
        ? "What is written here is being saved, and this page is left once that is done. When you leave now and it fails, what is written is lost."
        : "What is written here is not saved, and is lost when you leave."}
    </Confirm>
  );
}

/**
 * Each navigation to another path is refused at once, and begun again by `leave`. The router can also hold one until a person decides, but
 * the address is that of the other page meanwhile: a save that puts its id there, and a further press of the back or forward button,
 * would then change the wrong entry of the history.
 */
function useRefusedNavigation(draft: Draft) {
  const { history } = useRouter();
  const [asked, setAsked] = useState<Navigation>();
  const latest = useLatest(draft);
  useEffect(
    () =>
      history.block({
        blockerFn(navigation) {
          const { currentLocation, nextLocation } = navigation;
          if (currentLocation.pathname === nextLocation.pathname || !isWritten(latest.current)) return false;
          setAsked(navigation);
          return true;
        },
        enableBeforeUnload: () => mayAskForUnsaved() && isWritten(latest.current),
      }),
    [history, latest],
  );
  useEffect(() => reportUnsaved(() => isWritten(latest.current)), [latest]);
  const stay = (): void => setAsked(undefined);
  function leave(): void {
    if (asked === undefined) return;
    stay();
    const { action, currentLocation, nextLocation } = asked;
    const { href, state } = nextLocation;
    const options = { ignoreBlocker: true };
    if (action === "PUSH") history.push(href, state, options);
    else if (action === "REPLACE") history.replace(href, state, options);
    else history.go(state.__TSR_index - currentLocation.state.__TSR_index, options);
  }
  return { asked, leave, stay };
}

/** Whether something would be lost. A type that was looked at and left is nothing written. */
function isWritten({ saved, isChanged, title, name, settings, processor, isUnsaved, hasDrafts, form, writes }: Draft) {
  if (writes === 0) return false;
  if (saved === undefined ? name.trim() !== "" || settings !== undefined : isChanged || title !== saved.name)
    return true;
  if (form.current?.querySelector("[data-unfinished], [data-syntax-error]") != null) return true;
  return hasDrafts || isUnsaved(processor);
}
