import { Bookmark, BookmarkPlus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { readKept, writeKept } from "../../lib/theme.ts";
import type { RunsSearch } from "./search.ts";

interface View {
  name: string;
  search: RunsSearch;
}
const KEY = "rowmill-run-views";
/** More would be a list that nobody reads. */
const MOST = 20;

function readViews(): View[] {
  try {
    const kept: unknown = JSON.parse(readKept(KEY) ?? "[]");
    return Array.isArray(kept) ? (kept as View[]).filter(({ name }) => typeof name === "string") : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Filters, columns and order under a name, kept in this browser. Their address can be sent to others. */
export function SavedViews({ search, onChoose }: { search: RunsSearch; onChoose: (search: RunsSearch) => void }) {
  const [views, setViews] = useState(readViews);
  const [isNaming, setNaming] = useState(false);
  const shown = withoutPlace(search);
  const isShown = (view: View): boolean => sameText(view.search) === sameText(shown);
  const keep = (next: View[]): void => {
    setViews(next);
    writeKept(KEY, JSON.stringify(next));
  };
  function save(name: string): void {
    keep([...views.filter((view) => view.name !== name), { name, search: shown }].slice(-MOST));
    setNaming(false);
  }
  const canSave = Object.keys(shown).length > 0 && !views.some(isShown);
  if (views.length === 0 && !canSave) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5" role="group" aria-label="Saved views">
      {views.map((view) => (
        <ViewButton
          key={view.name}
          name={view.name}
          isShown={isShown(view)}
          onChoose={() => onChoose(isShown(view) ? {} : view.search)}
          onForget={() => keep(views.filter((other) => other !== view))}
        />
      ))}
      {canSave && (
        <Button look="quiet" icon={BookmarkPlus} onClick={() => setNaming(true)}>
          Save this view
        </Button>
      )}
      {isNaming && <NameDialog onSave={save} onClose={() => setNaming(false)} />}
    </div>
  );
}

function ViewButton({
  name,
  isShown,
  onChoose,
  onForget,
}: {
  name: string;
  isShown: boolean;
  onChoose: () => void;
  onForget: () => void;
}) {
  return (
    <span
      className={`inline-flex items-center rounded-full border ${isShown ? "border-accent" : "border-line"} bg-surface`}
    >
      <button
        type="button"
        aria-pressed={isShown}
        onClick={onChoose}
        className={`inline-flex items-center gap-1.5 rounded-full py-0.5 pl-2.5 ${isShown ? "font-medium" : "text-soft"} hover:text-ink`}
      >
        <Bookmark aria-hidden size={12} />
        {name}
      </button>
      <button
        type="button"
        aria-label={`Forget the view ${name}`}
        onClick={onForget}
        className="rounded-full p-1.5 text-soft hover:text-ink"
      >
        <X aria-hidden size={12} />
      </button>
    </span>
  );
}

function NameDialog({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const save = (): void => {
    if (name.trim() !== "") onSave(name.trim());
  };
  return (
    <Dialog
      title="Save this view"
      width="max-w-sm"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" disabled={name.trim() === ""} onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field label="Name" hint="Filters, columns and order are kept in this browser.">
          <input
            className="input"
            autoFocus
            maxLength={40}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}

/** How far a list was read, and an open dialog, are not part of a view. */
function withoutPlace({ pages: _pages, bulk: _bulk, ...view }: RunsSearch): RunsSearch {
  return Object.fromEntries(Object.entries(view).filter(([, text]) => text !== undefined && text !== ""));
}
const sameText = (search: RunsSearch): string =>
  JSON.stringify(Object.entries(search).sort(([a], [b]) => (a < b ? -1 : 1)));
