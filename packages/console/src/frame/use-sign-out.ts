import { useMutation } from "@tanstack/react-query";
import { readError } from "../components/notice.tsx";
import { toast } from "../components/toast.tsx";
import { leaveSession } from "../lib/session-end.ts";
import { deleteSession } from "../lib/session.ts";
import { UNSEEN } from "../lib/unseen.ts";

/** A session that could not be ended goes on, and the person has to know. */
export const useSignOut = () =>
  useMutation({
    mutationFn: deleteSession,
    onSuccess: leaveSession,
    onError: (error) => toast(`You are still signed in. ${readError(error).title}`, "bad"),
    meta: UNSEEN,
  });
