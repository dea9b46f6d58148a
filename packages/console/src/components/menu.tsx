import { copyText } from "../lib/copy.ts";
import { curlOf, typescriptOf } from "../lib/request.ts";
import type { Request } from "../lib/request.ts";
import { toast } from "./toast.tsx";
import { useId, useRef } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import type { LucideIcon } from "lucide-react";
import { Code, Ellipsis, Fingerprint, Terminal } from "lucide-react";
import { useShortcuts } from "../lib/shortcuts.ts";

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  run: () => void;
  isDanger?: boolean;
  isChecked?: boolean;
  /** Any number of such items may be checked; the menu stays open. */
  isOneOfSeveral?: boolean;
}

/** A button with a list of actions in the browser's own popover: arrows move, Esc closes. */
export function Menu({
  trigger,
  items,
  className,
  align = "right",
}: {
  trigger: ReactNode;
  items: MenuItem[];
  className: string;
  align?: "left" | "right";
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  function place(): void {
    if (button.current === null || list.current === null) return;
    const { bottom, top, left, right } = button.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = list.current;
    const x = align === "right" ? right - width : left;
    list.current.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
    list.current.style.top = `${bottom + height + 12 > innerHeight && top > height ? top - height - 4 : bottom + 4}px`;
    list.current.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
  }
  function onKeyDown(event: KeyboardEvent): void {
    moveFocus(event, [...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])]);
  }
  return (
    <>
      <button ref={button} type="button" popoverTarget={id} aria-haspopup="menu" className={className}>
        {trigger}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        onToggle={(event) => {
          if (event.newState === "open") place();
        }}
        onKeyDown={onKeyDown}
        className="card fixed inset-auto m-0 min-w-44 p-1 text-ink shadow-float"
      >
        {items.map((item) => (
          <ItemButton
            key={item.label}
            item={item}
            onClick={() => {
              if (item.isOneOfSeveral !== true) list.current?.hidePopover();
              item.run();
            }}
          />
        ))}
      </div>
    </>
  );
}

/** The arrows go around; Home and End go to the ends. */
function moveFocus(event: KeyboardEvent, own: readonly HTMLElement[]): void {
  const at = own.indexOf(document.activeElement as HTMLElement);
  const moves: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: own.length - 1,
    j: at + 1,
    k: at - 1,
  };
  const next = moves[event.key];
  if (next === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  own[(next + own.length) % own.length]?.focus();
}

function ItemButton({
  item: { label, icon: Icon, isDanger, isChecked, isOneOfSeveral },
  onClick,
}: {
  item: MenuItem;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      role={isChecked === undefined ? "menuitem" : isOneOfSeveral === true ? "menuitemcheckbox" : "menuitemradio"}
      aria-checked={isChecked}
      tabIndex={-1}
      onClick={onClick}
      className={`flex w-full items-center gap-2 rounded-md px-2.5 py-1.5 text-left focus:bg-raised focus:outline-none hover:bg-raised ${isDanger === true ? "text-bad" : ""} ${isChecked === true ? "font-semibold" : ""}`}
    >
      {Icon !== undefined && <Icon aria-hidden size={15} className="shrink-0" />}
      <span className="flex-1">{label}</span>
      {isChecked === true && <span aria-hidden>✓</span>}
    </button>
  );
}

/** What can be done with a thing beside the first two or three actions, and the thing as a program reads it. */
export function MoreMenu({
  label = "More actions",
  id,
  request,
  items = [],
  isInPalette = true,
}: {
  label?: string;
  id?: string;
  request: Request;
  items?: MenuItem[];
  /** False where a screen has many of them. */
  isInPalette?: boolean;
}) {
  const copies: MenuItem[] = [
    ...(id === undefined ? [] : [{ label: "Copy the id", icon: Fingerprint, run: () => void copyAndSay(id) }]),
    ...copyItems(request),
  ];
  useShortcuts(isInPalette ? copies.map(({ label: name, run }) => ({ keys: "", label: name, run })) : []);
  return (
    <Menu
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
      trigger={
        <>
          <Ellipsis aria-hidden size={16} />
          <span className="sr-only">{label}</span>
        </>
      }
      items={[
        ...items.filter(({ isDanger }) => isDanger !== true),
        ...copies,
        ...items.filter(({ isDanger }) => isDanger === true),
      ]}
    />
  );
}

export async function copyAndSay(text: string, said = "Copied."): Promise<void> {
  try {
    await copyText(text);
    toast(said);
  } catch (error) {
    toast(error instanceof Error ? error.message : "It could not be copied.", "bad");
  }
}

/** What is on the screen, as a program does it. */
export const copyItems = (request: Request): MenuItem[] => [
  { label: "Copy as curl", icon: Terminal, run: () => void copyAndSay(curlOf(request)) },
  { label: "Copy as TypeScript", icon: Code, run: () => void copyAndSay(typescriptOf(request)) },
];

/** Beside a button, or at the end of a screen's head; there Cmd+K has it, too. */
export function CodeMenu({ request, isInPalette = false }: { request: Request; isInPalette?: boolean }) {
  const items = copyItems(request);
  useShortcuts(isInPalette ? items.map(({ label, run }) => ({ keys: "", label, run })) : []);
  return (
    <Menu
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
      trigger={
        <>
          <Code aria-hidden size={15} />
          <span className="sr-only">Copy as code</span>
        </>
      }
      items={items}
    />
  );
}
