/** What is written in the form of a job spec, and not saved yet. */
import { RowmillApiError } from "@rowmill/client";
import type { JobSpec } from "@rowmill/client";
import type { RefObject } from "react";
import { createContext, useCallback, useMemo, useRef, useState } from "react";
import { unreadableFields } from "../../components/code-field.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import type { PathProblem } from "../../lib/draft-problems.ts";
import { EXACT } from "../../lib/exact-numbers.ts";
import { useOnce } from "../../lib/once.ts";
import { definitionOf, missingIn, processorOf } from "../../lib/specs.ts";
import type { Processor, ProcessorType } from "../../lib/specs.ts";

export const STARTS: { [T in ProcessorType]: Extract<Processor, { type: T }> } = {
  llm: { type: "llm", connection: "", model: "", messages: [{ role: "user", content: "" }] },
  http: { type: "http", method: "GET", url: "" },
  transform: { type: "transform", code: "export default (row) => ({\n  ...row,\n});\n" },
  mock: { type: "mock" },
};
export const KINDS: Record<ProcessorType, string> = {
  llm: "Ask a model",
  http: "Make a request",
  transform: "Run a function",
  mock: "Rehearse",
};
const SUGGESTED_CHARACTERS = 50;

export interface WritingForm {
  /** Called with every change in the form, also with one that is no value yet, such as half of a JSON text. */
  mark: () => void;
  /** JSON texts that are no value as they stand, by their fields: one that goes and comes back has its text as it was written. */
  unreadable: Map<string, string>;
  /** Fields with the same path are others in the form of another type. */
  type: ProcessorType;
}
export const Writing = createContext<WritingForm>({ mark: () => undefined, unreadable: new Map(), type: "mock" });

/** What stands in the fields. It is made once: what is fetched again meanwhile changes nothing in it. */
function useFields(spec: JobSpec | undefined) {
  const [saved, setSaved] = useState(spec);
  const [name, setName] = useState(spec?.name ?? "");
  const [processor, setProcessor] = useState<Processor>(spec === undefined ? STARTS.llm : processorOf(spec.processor));
  /** What a version fixes beside its processor. */
  const [settings, setSettings] = useState<unknown>(() => settingsOf(spec));
  /** Of the other types. */
  const [drafts, setDrafts] = useState<Partial<Record<ProcessorType, Processor>>>({});
  /** How often something was written, and how often it was when all of it was saved. */
  const [writes, setWrites] = useState(0);
  const [savedWrites, setSavedWrites] = useState(0);
  const mark = useCallback(() => setWrites((times) => times + 1), []);
  /** How often the fields have taken what was saved elsewhere. */
  const [begun, setBegun] = useState(0);
  const unreadable = useRef(new Map<string, string>()).current;
  const begin = useCallback(
    (other: JobSpec): void => {
      setSaved(other);
      setName(other.name);
      setProcessor(processorOf(other.processor));
      setSettings(settingsOf(other));
      setDrafts({});
      unreadable.clear();
      setWrites(0);
      setSavedWrites(0);
      setBegun((times) => times + 1);
    },
    [unreadable],
  );
  const write = useMemo(() => {
    const marking =
      <T>(set: (value: T) => void) =>
      (value: T): void => {
        mark();
        set(value);
      };
    return { setName: marking(setName), setProcessor: marking(setProcessor), setSettings: marking(setSettings) };
  }, [mark]);
  /** All that were saved while the form is open: the versions of the job spec keep them. */
  const stored = useRef(new Set<string>());
  if (saved !== undefined) stored.current.add(JSON.stringify(saved.processor));
  const isUnsaved = (other: Processor): boolean => !isBlank(other) && !stored.current.has(JSON.stringify(other));
  const hasDrafts = Object.values(drafts).some(isUnsaved);
  function chooseType(type: ProcessorType): void {
    const { [type]: draft = STARTS[type], ...others } = drafts;
    setDrafts({ ...others, [processor.type]: processor });
    write.setProcessor(draft);
  }
  const counts = { writes, savedWrites, setSavedWrites, mark, unreadable, begun, begin, hasDrafts, isUnsaved };
  return { fields: { name, processor, settings, chooseType, ...write }, saved, setSaved, setName, ...counts };
}

const isBlank = (processor: Processor): boolean => JSON.stringify(processor) === JSON.stringify(STARTS[processor.type]);

export interface OnTop {
  versions?: { from: number; mine: number } | undefined;
  /** A name that somebody else had given it, and that the save has replaced. */
  name?: string | undefined;
}

/** What a save was begun with, and what came of it. */
interface Saving {
  made: JobSpec;
  /** The version that it has made, if any. */
  version: number | undefined;
  replacedName: string | undefined;
  sent: { saved: JobSpec | undefined; isChanged: boolean; next: number; writes: number };
}

export function useDraft(spec: JobSpec | undefined) {
  const { fields, saved, setSaved, setName, ...own } = useFields(spec);
  const { name, processor, settings } = fields;
  const form = useRef<HTMLDivElement>(null);
  // A name can be given later: nobody should have to invent one to try something.
  const title = name.trim() === "" ? (saved?.name ?? suggestName(processor)) : name.trim();
  const isChanged =
    saved === undefined ||
    JSON.stringify([processor, settings ?? {}]) !== JSON.stringify([saved.processor, settingsOf(saved) ?? {}]);
  const isTouched = isChanged || title !== saved.name || own.writes !== own.savedWrites || own.hasDrafts;
  const next = 1 + Math.max(saved?.latestVersion ?? 0, spec?.latestVersion ?? 0);
  /** What nobody could see here before this draft was saved on top of it. */
  const [onTop, setOnTop] = useState<OnTop>({});
  const send = useSend({ saved, title, isChanged, processor, settings }, spec?.name);
  async function save(): Promise<Saving> {
    const unreadable = form.current === null ? [] : unreadableFields(form.current);
    if (unreadable.length > 0)
      throw new Error(`Not saved: the JSON of “${unreadable.join("” and “")}” cannot be saved as it stands.`);
    const missing = missingIn(processor);
    if (missing.length > 0) throw new Error(`Not saved yet: ${missing.join(", ")}.`);
    const sent = { saved, isChanged, next, writes: own.writes };
    return { ...(await send()), sent };
  }
  const latest = useLatest({ saved, title, ...own });
  /** Returns whether all that stands in the form is saved by it. */
  function keep({ made, version, replacedName, sent }: Saving): boolean {
    const now = latest.current;
    const isUnfinished = now.hasDrafts || form.current?.querySelector("[data-unfinished]") !== null;
    // Else the form shows another version by now.
    if (now.saved === sent.saved) {
      const before = sent.saved;
      const mine = version ?? before?.latestVersion ?? made.latestVersion;
      if (before === undefined || made.latestVersion <= mine) {
        setSaved(made);
        if (!isUnfinished) own.setSavedWrites(sent.writes);
      } else if (!sent.isChanged && now.writes === sent.writes && !isUnfinished) own.begin(made);
      // The fields are still those of the version before, and its line reports the other one.
      else setSaved({ ...before, name: made.name });
      if (before !== undefined && now.title === before.name && made.name !== before.name) setName(made.name);
      const isOnTop = version !== undefined && version > sent.next;
      setOnTop({ versions: isOnTop ? { from: sent.next, mine: version } : undefined, name: replacedName });
    }
    queries.setQueryData(["job-specs", made.id], made);
    return now.writes === sent.writes && !isUnfinished;
  }
  return {
    ...fields,
    ...own,
    ...useRefused(processor, settings),
    form,
    saved,
    title,
    isChanged,
    isTouched,
    next,
    ...useStore(save, keep, own.writes),
    onTop,
  };
}
export type Draft = ReturnType<typeof useDraft>;

function useStore(save: () => Promise<Saving>, keep: (saving: Saving) => boolean, writes: number) {
  /** What is being saved is all that stands in the form where this is `writes`. */
  const [sentWrites, setSentWrites] = useState<number>();
  async function store(): Promise<{ made: JobSpec; isAllSaved: boolean }> {
    setSentWrites(writes);
    try {
      const kept = await save();
      return { made: kept.made, isAllSaved: keep(kept) };
    } finally {
      setSentWrites(undefined);
    }
  }
  return { store, sentWrites };
}

/** For what comes later than the render that began it. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}

interface Sent {
  saved: JobSpec | undefined;
  title: string;
  isChanged: boolean;
  processor: Processor;
  settings: unknown;
}

/** `shownName`: the name that it has elsewhere, as far as it was read here. */
function useSend({ saved, title, isChanged, processor, settings }: Sent, shownName: string | undefined) {
  const once = useOnce();
  return async (): Promise<Omit<Saving, "sent">> => {
    const definition = { ...objectOf(settings), processor };
    if (saved === undefined) {
      const body = { ...definition, name: title };
      const created = await once(body, (options) => rowmill.jobSpecs.create(body, { ...options, ...EXACT }));
      return { made: created, version: undefined, replacedName: undefined };
    }
    const made = isChanged
      ? await once([saved.id, definition], (options) =>
          rowmill.jobSpecs.versions.create(saved.id, definition, { ...options, ...EXACT }),
        )
      : undefined;
    const now = await rowmill.jobSpecs.get(saved.id, EXACT);
    if (title === saved.name) return { made: now, version: made?.version, replacedName: undefined };
    const isKnown = [saved.name, shownName, title].includes(now.name);
    const renamed = await rowmill.jobSpecs.update(saved.id, { name: title }, EXACT);
    return { made: renamed, version: made?.version, replacedName: isKnown ? undefined : now.name };
  };
}

/** What was refused is marked at its place until it is changed. */
function useRefused(processor: Processor, settings: unknown) {
  const [refused, setRefused] = useState<{ processor: Processor; settings: unknown; error: unknown }>();
  const [isOpen, setOpen] = useState(false);
  const problems = useMemo(
    () =>
      refused?.processor === processor && refused.settings === settings && refused.error instanceof RowmillApiError
        ? refused.error.details
        : [],
    [refused, processor, settings],
  );
  function remember(error: unknown): void {
    setRefused({ processor, settings, error });
    if (error instanceof RowmillApiError && error.details.some(isOfSettings)) setOpen(true);
  }
  return { problems, remember, isOpen, setOpen };
}

/** After what it does, until somebody names it. */
function suggestName(processor: Processor): string {
  const prompt = processor.type === "llm" ? processor.messages.at(-1)?.content : undefined;
  const text = typeof prompt === "string" ? prompt.replaceAll(/\{\{.*?\}\}/g, "").replaceAll(/\s+/g, " ") : "";
  const start = text
    .trim()
    .slice(0, SUGGESTED_CHARACTERS)
    .replace(/[\s:,.;-]+$/, "");
  return start === "" ? KINDS[processor.type] : start;
}

export const isOfSettings = ({ path }: PathProblem): boolean => !/^\/(processor|name)(\/|$)/.test(path);

/** Undefined where nothing but the processor is set. */
function settingsOf(spec: JobSpec | undefined): Record<string, unknown> | undefined {
  if (spec === undefined) return undefined;
  const { processor: _, ...settings } = definitionOf(spec);
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function objectOf(settings: unknown): object {
  if (settings === undefined) return {};
  if (typeof settings === "object" && settings !== null && !Array.isArray(settings)) return settings;
  throw new Error("Not saved: “Settings as JSON” must be an object.");
}
