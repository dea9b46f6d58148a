import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { Confirm } from "../components/dialog.tsx";
import { readError } from "../components/notice.tsx";
import { toast } from "../components/toast.tsx";
import { leaveSession } from "../lib/session-end.ts";
import { deleteSession } from "../lib/session.ts";
import { UNSEEN } from "../lib/unseen.ts";
import { discardUnsaved, isUnsaved } from "../lib/unsaved.ts";
import { discardFiles, isSendingFile } from "../lib/uploads.ts";

interface Loss {
  text: boolean;
  files: boolean;
}
const NONE: Loss = { text: false, files: false };

/** Asks before the session is ended where something would be lost: a person who stays is still signed in. */
export function useSignOut(): { signOut: () => void; isPending: boolean; question: ReactNode } {
  const [asked, setAsked] = useState<Loss>();
  const { isPending, mutate } = useMutation({
    mutationFn: async (lost: Loss) => {
      await deleteSession();
      return lost;
    },
    onSuccess: (lost) => {
      if (lost.text) discardUnsaved();
      if (lost.files) discardFiles();
      leaveSession();
    },
    // A session that could not be ended goes on, and the person has to know.
    onError: (error) => toast(`You are still signed in. ${readError(error).title}`, "bad"),
    meta: UNSEEN,
  });
  function signOut(): void {
    const loss = { text: isUnsaved(), files: isSendingFile() };
    if (isPending) return;
    if (loss.text || loss.files) setAsked(loss);
    else mutate(NONE);
  }
  const question = asked !== undefined && (
    <Confirm
      title={asked.text ? "Sign out without saving?" : "Sign out before the file is sent?"}
      action="Sign out"
      closing="Stay"
      onClose={() => setAsked(undefined)}
      onConfirm={async () => mutate(asked)}
    >
      {asked.text && "What is written on this page is not saved, and is lost when you sign out. "}
      {asked.files &&
        "The rest of a file that is being sent is not sent. It can go on when the same file is chosen again."}
    </Confirm>
  );
  return { signOut, isPending, question };
}
