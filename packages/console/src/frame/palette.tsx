import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CornerDownLeft, Search } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { useModal } from "../components/modal.ts";
import { useNames } from "../lib/names.ts";
import { keyNames, shortcuts } from "../lib/shortcuts.ts";
import { useSession } from "../lib/session.ts";
import { mayVisit, places } from "./navigation.ts";
import { findThings, placeOfId } from "./find-things.ts";

export interface Entry {
  id: string;
  label: string;
  note?: string;
  icon: LucideIcon;
  /** By the service: it may be what was found for the text before this one. */
  isFound?: true;
  run: () => void;
}

/** Go anywhere, do anything: places, actions of the screen, and things by name or id. */
export function Palette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const ref = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const { entries, isSearching } = useEntries(text, onKeys);
  useModal(ref);
  const chosen = Math.min(at, Math.max(0, entries.length - 1));
  function run(entry: Entry | undefined): void {
    if (entry === undefined) return;
    onClose();
    entry.run();
  }
  function look(next: string): void {
    setText(next);
    setAt(0);
    setEntered(false);
  }
  /** What is found is opened when it was found for the whole text: somebody who types a name and presses Enter need not wait. */
  function enter(): void {
    const entry = entries[chosen];
    if (isSearching && (entry === undefined || entry.isFound)) setEntered(true);
    else run(entry);
  }
  useEffect(() => {
    if (!isEntered || isSearching) return;
    setEntered(false);
    run(entries[chosen]);
  });
  return (
    <dialog
      ref={ref}
      aria-label="Go anywhere, do anything"
      onCancel={onClose}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose();
      }}
      className="mx-auto mt-[12vh] mb-auto w-[calc(100%-24px)] max-w-xl rounded-xl border border-line bg-surface shadow-float"
    >
      <SearchField
        listId={listId}
        entries={entries}
        chosen={chosen}
        text={text}
        onText={look}
        onMove={setAt}
        onEnter={enter}
      />
      <Entries
        listId={listId}
        entries={entries}
        chosen={chosen}
        isSearching={isSearching}
        onPoint={setAt}
        onRun={run}
      />
    </dialog>
  );
}

/** Places first, then actions, then what the service has found. */
function useEntries(text: string, onKeys: () => void): { entries: Entry[]; isSearching: boolean } {
  const navigate = useNavigate();
  const nameOf = useNames();
  const { things, isSearched, isSearching } = useThings(text);
  const go = (href: string) => () => void navigate({ href });
  const entries: Entry[] = [
    ...usePlaces(text),
    ...actionsOf(text, onKeys),
    ...(isSearched
      ? things.map(({ titled, ...thing }) => ({
          ...thing,
          label: titled?.(nameOf) ?? thing.label,
          isFound: true as const,
          run: go(thing.href),
        }))
      : []),
    ...placeOfId(text).map((thing) => ({ ...thing, run: go(thing.href) })),
  ];
  return { entries, isSearching };
}

function Entries({
  listId,
  entries,
  chosen,
  isSearching,
  onPoint,
  onRun,
}: {
  listId: string;
  entries: readonly Entry[];
  chosen: number;
  isSearching: boolean;
  onPoint: (at: number) => void;
  onRun: (entry: Entry) => void;
}) {
  return (
    <ul id={listId} role="listbox" aria-label="Found" className="max-h-[46vh] overflow-y-auto p-1.5">
      {entries.map((entry, i) => (
        <Option
          key={entry.id}
          id={`${listId}-${i}`}
          entry={entry}
          isChosen={i === chosen}
          onPoint={() => onPoint(i)}
          onRun={() => onRun(entry)}
        />
      ))}
      {entries.length === 0 && <NothingFound isSearching={isSearching} />}
    </ul>
  );
}

function NothingFound({ isSearching }: { isSearching: boolean }) {
  return (
    <li className="px-3 py-6 text-center text-soft">
      {isSearching
        ? "Searching…"
        : "Nothing is called that. Runs, datasets and job specs are found by how their names begin, and ids by their beginning or as a whole."}
    </li>
  );
}

const matches = (label: string, text: string): boolean => label.toLowerCase().includes(text.trim().toLowerCase());

/** What the service finds for the text; while it looks, what it found for the text before. */
function useThings(text: string) {
  const session = useSession();
  const asked = useDeferredValue(text.trim());
  const isSearched = text.trim() !== "" && session.kind === "organization";
  const search = useQuery({
    queryKey: ["palette", asked],
    queryFn: () => findThings(asked, session),
    enabled: isSearched && asked !== "",
    placeholderData: (before) => before,
  });
  const { data: things = [] } = search;
  const isSearching = isSearched && (asked !== text.trim() || search.isPending || search.isPlaceholderData);
  return { things, isSearched, isSearching };
}

function usePlaces(text: string): Entry[] {
  const navigate = useNavigate();
  const session = useSession();
  return places
    .filter((place) => mayVisit(place, session) && matches(place.label, text))
    .map(({ to, label, icon, keys }) => ({
      id: to,
      label,
      icon,
      note: keyNames(keys).join(" "),
      run: () => void navigate({ to }),
    }));
}

/** The actions of the screen, and the sheet of keys. */
function actionsOf(text: string, onKeys: () => void): Entry[] {
  const actions = shortcuts()
    .filter(({ label, keys }) => !label.startsWith("Go ") && keys !== "?" && matches(label, text))
    .map(({ label, run, keys }) => ({
      id: `do ${label}`,
      label,
      icon: CornerDownLeft,
      ...(keys === "" ? {} : { note: keyNames(keys).join(" ") }),
      run,
    }));
  const sheet = { id: "keys", label: "Keyboard", icon: CornerDownLeft, note: "?", run: onKeys };
  return matches(sheet.label, text) ? [...actions, sheet] : actions;
}

function SearchField({
  listId,
  entries,
  chosen,
  text,
  onText,
  onMove,
  onEnter,
}: {
  listId: string;
  entries: readonly Entry[];
  chosen: number;
  text: string;
  onText: (text: string) => void;
  onMove: (at: number) => void;
  onEnter: () => void;
}) {
  return (
    <div className="flex items-center gap-2.5 border-b border-line px-4">
      <Search aria-hidden size={16} className="text-soft" />
      <input
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={entries[chosen] === undefined ? undefined : `${listId}-${chosen}`}
        autoFocus
        value={text}
        placeholder="Runs, data, connections, ids, actions"
        className="w-full bg-transparent py-3.5 text-base outline-none"
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined) onMove((chosen + step + entries.length) % Math.max(1, entries.length));
          else if (event.key === "Enter") onEnter();
          else return;
          event.preventDefault();
        }}
      />
    </div>
  );
}

function Option({
  id,
  entry,
  isChosen,
  onPoint,
  onRun,
}: {
  id: string;
  entry: Entry;
  isChosen: boolean;
  onPoint: () => void;
  onRun: () => void;
}) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: "nearest" });
      }}
      onMouseMove={onPoint}
      onClick={onRun}
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 aria-selected:bg-raised"
    >
      <entry.icon aria-hidden size={15} className="shrink-0 text-soft" />
      <span className="min-w-0 flex-1 truncate">{entry.label}</span>
      {entry.note !== undefined && <span className="shrink-0 text-xs text-soft">{entry.note}</span>}
    </li>
  );
}
