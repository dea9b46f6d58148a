/**
 * What webhook endpoints and alert rules have in common as screens: a place where messages go, with a test, a switch, a secret that
 * rotates, and an end. What they watch and what they have sent is theirs.
 */
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { KeyRound, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../components/button.tsx";
import type { Request } from "../lib/request.ts";
import { Confirm } from "../components/dialog.tsx";
import type { MenuItem } from "../components/menu.tsx";
import { MoreMenu } from "../components/menu.tsx";
import { ErrorNotice, Notice, readError } from "../components/notice.tsx";
import { Page } from "../components/page.tsx";
import { toast } from "../components/toast.tsx";
import { queries } from "../lib/client.ts";
import { bind } from "../lib/screen-keys.ts";
import type { ScreenKey } from "../lib/screen-keys.ts";
import { useShortcuts } from "../lib/shortcuts.ts";
import { UNSEEN } from "../lib/unseen.ts";

/** The one attempt of a test. */
interface Tested {
  id: string;
  status: string;
  attempts: readonly { message: string | null }[];
}

interface Receiver<T extends Tested> {
  /** As sentences name it: `endpoint`, `rule`. */
  noun: string;
  list: { to: "/webhooks" | "/alerts"; label: string; queryKey: string };
  id: string;
  isEnabled: boolean;
  mayWrite: boolean;
  request: Request;
  keys: Record<"test" | "change", ScreenKey>;
  test: { send: () => Promise<T>; describe?: (tested: T) => { text: ReactNode; action: ReactNode } };
  setEnabled: (isEnabled: boolean) => Promise<unknown>;
  /** What disabling costs, where that must be confirmed. */
  disabling?: string;
  /** Left out where there is no secret. */
  rotate?: () => Promise<unknown>;
  remove: () => Promise<unknown>;
  removal: string;
  items?: MenuItem[];
  edit: (onClose: () => void) => ReactNode;
  head: { title: ReactNode; tabTitle: string; lead?: ReactNode };
  /** Before the result of a test: what is wrong, with its cure. */
  trouble: (enable: { run: () => void; isBusy: boolean }) => ReactNode;
  children: ReactNode;
}

type Opened = "edit" | "rotate" | "disable" | "delete";

export function ReceiverScreen<T extends Tested>(receiver: Receiver<T>) {
  const { noun, list, id, isEnabled, mayWrite, request, disabling, rotate } = receiver;
  const [open, setOpen] = useState<Opened | null>(null);
  const close = (): void => setOpen(null);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: [list.queryKey] });
  const enable = useMutation({
    mutationFn: receiver.setEnabled,
    onSuccess: refresh,
    onError: (problem) => toast(readError(problem).title, "bad"),
    meta: UNSEEN,
  });
  const test = useMutation({ mutationFn: receiver.test.send, onSettled: refresh });
  const toggle = (): void => {
    if (isEnabled && disabling !== undefined) setOpen("disable");
    else if (!enable.isPending) enable.mutate(!isEnabled);
  };
  useReceiverShortcuts(receiver, { test, open: setOpen, toggle });
  const items = itemsOf(receiver, setOpen, toggle);
  return (
    <Page
      trail={
        <Link to={list.to} className="link">
          {list.label}
        </Link>
      }
      {...receiver.head}
      actions={
        <>
          {mayWrite && (
            <Button icon={Send} isBusy={test.isPending} onClick={() => test.mutate()}>
              Send a test
            </Button>
          )}
          <MoreMenu id={id} request={request} items={mayWrite ? items : []} />
        </>
      }
    >
      {receiver.trouble({ run: () => enable.mutate(true), isBusy: enable.isPending })}
      {test.data !== undefined && <TestResult tested={test.data} describe={receiver.test.describe} />}
      {test.error !== null && <ErrorNotice error={test.error} />}
      {receiver.children}
      {open === "edit" && receiver.edit(close)}
      {open === "rotate" && rotate !== undefined && (
        <ConfirmRotation rotate={() => rotate().then(refresh)} onClose={close} />
      )}
      {open === "disable" && (
        <Confirm
          title={`Disable this ${noun}?`}
          action="Disable"
          onClose={close}
          onConfirm={() => enable.mutateAsync(false)}
        >
          {disabling}
        </Confirm>
      )}
      {open === "delete" && <ConfirmRemoval receiver={receiver} onRemoved={refresh} onClose={close} />}
    </Page>
  );
}

interface ReceiverActions {
  test: { isPending: boolean; mutate: () => void };
  open: (dialog: Opened) => void;
  toggle: () => void;
}

function useReceiverShortcuts<T extends Tested>(
  { mayWrite, keys, isEnabled, noun, rotate }: Receiver<T>,
  { test, open, toggle }: ReceiverActions,
): void {
  useShortcuts(
    mayWrite
      ? [
          // A key can be pressed again while the test is sent.
          bind(keys.test, () => void (!test.isPending && test.mutate())),
          bind(keys.change, () => open("edit")),
          { keys: "", label: `${isEnabled ? "Disable" : "Enable"} the ${noun}`, run: toggle },
          ...(rotate === undefined ? [] : [{ keys: "", label: "Rotate the secret", run: () => open("rotate") }]),
        ]
      : [],
  );
}

function itemsOf<T extends Tested>(
  { items = [], isEnabled, rotate }: Receiver<T>,
  open: (dialog: Opened) => void,
  toggle: () => void,
): MenuItem[] {
  return [
    { label: "Change", icon: Pencil, run: () => open("edit") },
    ...items,
    ...(rotate === undefined ? [] : [{ label: "Rotate the secret", icon: KeyRound, run: () => open("rotate") }]),
    { label: isEnabled ? "Disable" : "Enable", icon: Power, run: toggle },
    { label: "Delete", icon: Trash2, isDanger: true, run: () => open("delete") },
  ];
}

function ConfirmRotation({ rotate, onClose }: { rotate: () => Promise<unknown>; onClose: () => void }) {
  return (
    <Confirm title="Rotate the signing secret?" action="Rotate" onClose={onClose} onConfirm={rotate}>
      The new secret signs at once. For 24 hours the header <code className="font-mono">webhook-signature</code> also
      carries the old one, so that a receiver which checks it misses nothing.
    </Confirm>
  );
}

function ConfirmRemoval<T extends Tested>({
  receiver: { noun, list, remove, removal },
  onRemoved,
  onClose,
}: {
  receiver: Receiver<T>;
  onRemoved: () => Promise<void>;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  return (
    <Confirm
      title={`Delete this ${noun}?`}
      action={`Delete the ${noun}`}
      onClose={onClose}
      onConfirm={async () => {
        await remove();
        await navigate({ to: list.to });
        await onRemoved();
      }}
    >
      {removal}
    </Confirm>
  );
}

function TestResult<T extends Tested>({
  tested,
  describe,
}: {
  tested: T;
  describe: Receiver<T>["test"]["describe"] | undefined;
}) {
  const more = describe?.(tested);
  return (
    <Notice
      tone={tested.status === "succeeded" ? "good" : "bad"}
      title={tested.attempts[0]?.message ?? "The test was sent."}
      actions={more?.action}
    >
      {more?.text}
    </Notice>
  );
}
