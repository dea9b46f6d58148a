import { Outlet, useNavigate, useRouter, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { useIsMutating } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { Button } from "../components/button.tsx";
import { Loading, Working } from "../components/loading.tsx";
import { useModal } from "../components/modal.ts";
import { Hidden } from "../components/notice.tsx";
import { Page } from "../components/page.tsx";
import { Toasts } from "../components/toast.tsx";
import { reportLeftOut } from "../lib/address.ts";
import { queries } from "../lib/client.ts";
import { isUnseen } from "../lib/unseen.ts";
import { listenForFiles } from "../lib/file-drop.ts";
import { useSession } from "../lib/session.ts";
import { useSessionEnd } from "../lib/session-end.ts";
import { useLiveUpdates } from "../lib/live/live.ts";
import { useShortcuts } from "../lib/shortcuts.ts";
import { lackedScopeAt, mayVisit, places } from "./navigation.ts";
import { NewBuild } from "./new-build.tsx";
import { Offline } from "./offline.tsx";
import { SessionEnded } from "./session-ended.tsx";
import { Sidebar } from "./sidebar.tsx";

/** Not part of what a first visit waits for; fetched right after it, so that they are there when a key asks for them. */
const loadDialogs = async () => {
  const [{ Palette }, { KeySheet }] = await Promise.all([import("./palette.tsx"), import("./key-sheet.tsx")]);
  return { Palette, KeySheet };
};
type Dialogs = Awaited<ReturnType<typeof loadDialogs>>;

export function Frame() {
  const [open, setOpen] = useState<"palette" | "keys" | "navigation" | null>(null);
  const close = (): void => setOpen(null);
  const sessionEnd = useSessionEnd(useReadAgain());
  useLiveUpdates(sessionEnd === null);
  useFocusOnNavigation();
  useEffect(reportLeftOut, []);
  useEffect(listenForFiles, []);
  const dialogs = useDialogs(open === "palette" || open === "keys");
  useFrameShortcuts(
    () => {
      if (sessionEnd === null) setOpen(open === "palette" ? null : "palette");
    },
    () => setOpen("keys"),
  );
  return (
    <div className="flex min-h-dvh max-lg:flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded focus:bg-surface focus:px-3 focus:py-2"
      >
        Skip to the content
      </a>
      <header className="sticky top-0 z-20 flex h-12 items-center gap-2 border-b border-line bg-ground px-3 lg:hidden print:hidden">
        <Button look="quiet" icon={MenuIcon} label="Navigation" onClick={() => setOpen("navigation")} />
        <span className="font-semibold">Rowmill</span>
      </header>
      <aside className="sticky top-0 flex h-dvh w-56 shrink-0 flex-col border-r border-line max-lg:hidden print:hidden">
        <Sidebar onSearch={() => setOpen("palette")} onKeys={() => setOpen("keys")} />
      </aside>
      {open === "navigation" && (
        <Drawer onClose={close}>
          <Sidebar onSearch={() => setOpen("palette")} onKeys={() => setOpen("keys")} onVisit={close} />
        </Drawer>
      )}
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <Offline />
        <NewBuild />
        <Suspense fallback={<Loading />}>
          <Screen />
        </Suspense>
      </main>
      <UnseenWork />
      {dialogs !== undefined && open === "palette" && (
        <dialogs.Palette onClose={close} onKeys={() => setOpen("keys")} />
      )}
      {dialogs !== undefined && open === "keys" && <dialogs.KeySheet onClose={close} />}
      <Toasts />
      {sessionEnd !== null && <SessionEnded end={sessionEnd} />}
    </div>
  );
}

/** What was begun by a menu or a key, and has no button that shows it. */
const UnseenWork = () => <Working isShown={useIsMutating({ predicate: isUnseen }) > 0}>Working…</Working>;

/** What the key may not read is not asked for: each refusal would be recorded in the audit. */
function Screen() {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const lacked = lackedScopeAt(pathname, useSession());
  if (lacked === undefined) return <Outlet />;
  return (
    <Page title="Hidden" tabTitle="Hidden">
      <Hidden what="This screen is" scope={lacked} />
    </Page>
  );
}

/** Undefined until they are there. */
function useDialogs(isAsked: boolean): Dialogs | undefined {
  // Kept here and not by `lazy`, which shows nothing for a moment even if all is there: keys pressed then would be lost.
  const [dialogs, setDialogs] = useState<Dialogs>();
  const isMissing = dialogs === undefined && isAsked;
  useEffect(() => {
    // Without the service there is nothing to open them on; opening one fetches them again.
    loadDialogs().then(setDialogs, () => undefined);
  }, [isMissing]);
  return dialogs;
}

function useReadAgain(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    // A part of the screen that was read without a session shows an error; the rest is read again where it stands.
    await queries.resetQueries({ predicate: ({ state }) => state.error !== null && state.data === undefined });
    await router.invalidate();
    await queries.invalidateQueries();
  };
}

function useFrameShortcuts(togglePalette: () => void, showKeys: () => void): void {
  const session = useSession();
  const navigate = useNavigate();
  useShortcuts([
    { keys: "mod+k", label: "Go anywhere, do anything", group: "Everywhere", run: togglePalette },
    { keys: "?", label: "Show all keys", group: "Everywhere", run: showKeys },
    ...places
      .filter((place) => mayVisit(place, session))
      .map(({ keys, label, to }) => ({
        keys,
        label: `Go to ${label}`,
        group: "Go to" as const,
        run: () => void navigate({ to }),
      })),
  ]);
}

function Drawer({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useModal(ref);
  return (
    <dialog
      ref={ref}
      aria-label="Navigation"
      onCancel={onClose}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose();
      }}
      className="m-0 h-dvh max-h-dvh w-64 border-r border-line bg-ground open:flex open:flex-col"
    >
      {children}
    </dialog>
  );
}

/**
 * The focus of a person who uses the keyboard begins at the new screen's content, not at the link that was followed. The screen before may
 * stay until the code of the new one is there: the focus is lost then, with its link.
 */
function useFocusOnNavigation(): void {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const main = document.getElementById("main");
    if (main === null) return;
    const observer = new MutationObserver(takeLost);
    const end = (): void => {
      observer.disconnect();
      for (const type of ["focusin", "pointerdown"]) document.removeEventListener(type, end);
    };
    function takeLost(): void {
      if (document.querySelector("dialog[open]") !== null || document.activeElement !== document.body) return;
      end();
      main?.focus({ preventScroll: true });
    }
    // Until the focus has a place again, or somebody gives it one.
    observer.observe(main, { childList: true, subtree: true });
    for (const type of ["focusin", "pointerdown"]) document.addEventListener(type, end);
    takeLost();
    return end;
  }, [pathname]);
}
