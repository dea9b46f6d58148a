import { Link } from "@tanstack/react-router";
import { BookOpen, Code, Keyboard, LogOut, Monitor, Moon, Search, Sun, UserRound } from "lucide-react";
import { Menu } from "../components/menu.tsx";
import { baseUrl } from "../lib/client.ts";
import { useSignOut } from "./use-sign-out.tsx";
import { useSession } from "../lib/session.ts";
import { keyNames } from "../lib/shortcuts.ts";
import { applyTheme, useTheme } from "../lib/theme.ts";
import type { Theme } from "../lib/theme.ts";
import { mayVisit, places } from "./navigation.ts";

const GROUPS = { work: "Work", connect: "Connect", organization: "Organization", operator: "Operator" } as const;

export function Sidebar({
  onSearch,
  onKeys,
  onVisit,
}: {
  onSearch: () => void;
  onKeys: () => void;
  onVisit?: () => void;
}) {
  const session = useSession();
  return (
    <>
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-3">
        <Mark />
        <div className="min-w-0 leading-tight">
          <p className="font-semibold tracking-[-0.01em]">Rowmill</p>
          <p className="truncate text-xs text-soft" title={session.organizationName ?? undefined}>
            {session.organizationName ?? "Operator"}
          </p>
        </div>
      </div>
      <div className="px-3 pb-2">
        <SearchButton onSearch={onSearch} />
      </div>
      <Navigation onVisit={onVisit} />
      <div className="flex items-center justify-between border-t border-line px-3 py-2">
        <AccountMenu onKeys={onKeys} />
        <ThemeMenu />
      </div>
    </>
  );
}

function SearchButton({ onSearch }: { onSearch: () => void }) {
  return (
    <button
      type="button"
      onClick={onSearch}
      className="flex w-full items-center gap-2 rounded-md border border-line bg-surface px-2.5 py-1.5 text-soft hover:border-edge"
    >
      <Search aria-hidden size={14} />
      <span className="flex-1 text-left">Search</span>
      <kbd className="font-sans text-xs">{keyNames("mod+k")}</kbd>
    </button>
  );
}

function Navigation({ onVisit }: { onVisit: (() => void) | undefined }) {
  const session = useSession();
  const visible = places.filter((place) => mayVisit(place, session));
  return (
    <nav aria-label="Main" className="flex-1 overflow-y-auto px-3 pb-3">
      {(Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => {
        // What everybody has, the operator has among the operator's.
        const own = visible.filter((place) => (session.kind === "admin" ? "operator" : place.group) === group);
        if (own.length === 0) return null;
        return (
          <div key={group} className="mt-3 first:mt-1">
            {group !== "work" && <p className="px-2.5 pb-1 text-xs text-soft">{GROUPS[group]}</p>}
            <ul>
              {own.map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    onClick={onVisit}
                    activeOptions={{ exact: to === "/", includeSearch: false }}
                    className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:font-medium aria-[current=page]:text-ink"
                  >
                    <Icon aria-hidden size={16} strokeWidth={1.8} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

export function Mark() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-7 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-fill" />
      <path d="M8 10h16M8 16h10M8 22h13" className="stroke-on-fill" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

const SQUARE = "inline-flex size-8 items-center justify-center rounded-md text-soft hover:bg-raised hover:text-ink";
const THEMES = { system: ["As the system", Monitor], light: ["Light", Sun], dark: ["Dark", Moon] } as const;

function ThemeMenu() {
  const theme = useTheme();
  const [label, Icon] = THEMES[theme];
  return (
    <Menu
      className={SQUARE}
      trigger={
        <>
          <Icon aria-hidden size={16} />
          <span className="sr-only">Colors: {label}</span>
        </>
      }
      items={(Object.keys(THEMES) as Theme[]).map((name) => ({
        label: THEMES[name][0],
        icon: THEMES[name][1],
        isChecked: theme === name,
        run: () => applyTheme(name),
      }))}
    />
  );
}

function AccountMenu({ onKeys }: { onKeys: () => void }) {
  const { signOut, question } = useSignOut();
  return (
    <>
      <Menu
        align="left"
        className={SQUARE}
        trigger={
          <>
            <UserRound aria-hidden size={16} />
            <span className="sr-only">Help and account</span>
          </>
        }
        items={[
          { label: "Keyboard", icon: Keyboard, run: onKeys },
          {
            label: "Guide",
            icon: BookOpen,
            run: () => void window.open(`${baseUrl}guide/`, "_blank", "noreferrer"),
          },
          {
            label: "API reference",
            icon: Code,
            run: () => void window.open(`${baseUrl}docs`, "_blank", "noreferrer"),
          },
          { label: "Sign out", icon: LogOut, run: signOut },
        ]}
      />
      {question}
    </>
  );
}
