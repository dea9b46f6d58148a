import type { JobSpec } from "@rowmill/client";
import { useEffect } from "react";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { visible } from "../../lib/format.ts";
import type { OnTop } from "./draft.ts";

/** What another tab, or somebody else, has saved since this draft was begun. */
export function isChangedElsewhere(saved: JobSpec | undefined, spec: JobSpec | undefined): boolean {
  if (saved === undefined || spec === undefined || saved.id !== spec.id) return false;
  // Texts of the same form. What was read before the draft was saved is no news.
  if (spec.updatedAt <= saved.updatedAt) return false;
  return spec.latestVersion > saved.latestVersion || spec.name !== saved.name;
}

/** It takes the place of a draft in which nothing was written; else the person chooses. */
export function ChangedElsewhere({
  saved,
  spec,
  isChanged,
  isTouched,
  onShow,
}: {
  saved: JobSpec | undefined;
  spec: JobSpec | undefined;
  /** Whether a save makes a version. */
  isChanged: boolean;
  isTouched: boolean;
  onShow: (spec: JobSpec) => void;
}) {
  const newer = isChangedElsewhere(saved, spec) ? spec : undefined;
  useEffect(() => {
    if (newer !== undefined && !isTouched) onShow(newer);
  }, [newer, isTouched, onShow]);
  if (newer === undefined || !isTouched) return null;
  const isNewVersion = newer.latestVersion > (saved?.latestVersion ?? 0);
  return (
    <Notice
      tone="warn"
      title={
        isNewVersion
          ? `Version ${newer.latestVersion} was saved elsewhere meanwhile.`
          : `It was renamed elsewhere meanwhile: “${visible(newer.name)}”.`
      }
      actions={<Button onClick={() => onShow(newer)}>Discard mine, and show it</Button>}
    >
      {!isNewVersion
        ? "Saving another name replaces that one."
        : isChanged
          ? `What stands here is without its changes: saving makes version ${newer.latestVersion + 1} of it.`
          : "What stands here is without its changes. Saving the name makes no version."}
    </Notice>
  );
}

/** After a save, of what was saved elsewhere before it and was not shown here yet. */
export function SavedOnTop({ onTop: { versions, name } }: { onTop: OnTop }) {
  return (
    <>
      {versions !== undefined && <VersionOnTop {...versions} />}
      {name !== undefined && (
        <Notice tone="warn" title={`It was renamed elsewhere just before: “${visible(name)}”.`}>
          Your name has replaced that one.
        </Notice>
      )}
    </>
  );
}

function VersionOnTop({ from, mine }: { from: number; mine: number }) {
  return (
    <Notice
      tone="warn"
      title={
        from === mine - 1
          ? `Version ${from} was saved elsewhere just before.`
          : `Versions ${from} to ${mine - 1} were saved elsewhere just before.`
      }
    >
      Version {mine}, yours, is without its changes: they are listed under Versions.
    </Notice>
  );
}
