/** The places of the console, in the order of the main job; each with the scopes of which it needs one, and its two keys. */
import {
  Activity,
  BellRing,
  Building2,
  ChartColumn,
  Database,
  FileCog,
  HeartPulse,
  House,
  Plug,
  ScrollText,
  Settings,
  UsersRound,
  Webhook,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { Session } from "@rowmill/client";
import type { Scope } from "../lib/session.ts";

export interface Place {
  to:
    | "/"
    | "/runs"
    | "/datasets"
    | "/job-specs"
    | "/connections"
    | "/webhooks"
    | "/alerts"
    | "/usage"
    | "/members"
    | "/audit"
    | "/settings"
    | "/organizations"
    | "/health";
  label: string;
  icon: LucideIcon;
  /** `g` and a letter. */
  keys: string;
  /** One of them is enough. */
  scopes?: readonly Scope[];
  group: "work" | "connect" | "organization" | "operator";
  /** Also for the operator's key. */
  isForAll?: true;
}

export const places: readonly Place[] = [
  { to: "/", label: "Home", icon: House, keys: "g h", group: "work" },
  { to: "/runs", label: "Runs", icon: Activity, keys: "g r", scopes: ["runs:read"], group: "work" },
  { to: "/datasets", label: "Datasets", icon: Database, keys: "g d", scopes: ["datasets:read"], group: "work" },
  { to: "/job-specs", label: "Job specs", icon: FileCog, keys: "g j", scopes: ["job_specs:read"], group: "work" },
  { to: "/connections", label: "Connections", icon: Plug, keys: "g c", scopes: ["connections:read"], group: "connect" },
  { to: "/webhooks", label: "Webhooks", icon: Webhook, keys: "g w", scopes: ["webhooks:read"], group: "connect" },
  { to: "/alerts", label: "Alerts", icon: BellRing, keys: "g a", scopes: ["alerts:read"], group: "connect" },
  {
    to: "/usage",
    label: "Usage",
    icon: ChartColumn,
    keys: "g u",
    scopes: ["organization:read"],
    group: "organization",
  },
  {
    to: "/members",
    label: "Members and keys",
    icon: UsersRound,
    keys: "g m",
    scopes: ["invitations:read", "api_keys:read"],
    group: "organization",
  },
  { to: "/audit", label: "Audit", icon: ScrollText, keys: "g l", scopes: ["audit:read"], group: "organization" },
  { to: "/organizations", label: "Organizations", icon: Building2, keys: "g o", group: "operator" },
  { to: "/health", label: "Health", icon: HeartPulse, keys: "g e", group: "operator" },
  { to: "/settings", label: "Settings", icon: Settings, keys: "g s", group: "organization", isForAll: true },
];

/** The operator's key reaches no organization's things, and an organization's key not the operator's. */
export const mayVisit = ({ scopes, group, isForAll }: Place, session: Session): boolean =>
  isForAll === true ||
  (session.kind === "admin"
    ? group === "operator"
    : group !== "operator" && (scopes === undefined || scopes.some((scope) => session.scopes.includes(scope))));

/** Screens that do nothing but write. */
const WRITES: Readonly<Record<string, Scope>> = { "/runs/new": "runs:write", "/job-specs/new": "job_specs:write" };
/** Screens whose address is not below that of their place. */
const ELSEWHERE: readonly [string, Place["to"]][] = [["/dataset-uploads/", "/datasets"]];

/** Of a screen that the key of the session may not read or use: only a typed or an old address leads there. */
export function lackedScopeAt(pathname: string, { kind, scopes }: Session): Scope | undefined {
  if (kind === "admin") return undefined;
  const written = WRITES[pathname];
  if (written !== undefined) return scopes.includes(written) ? undefined : written;
  const at = ELSEWHERE.find(([path]) => pathname.startsWith(path))?.[1] ?? pathname;
  const needed = places.find(({ to }) => at === to || (to !== "/" && at.startsWith(`${to}/`)))?.scopes ?? [];
  return needed.some((scope) => scopes.includes(scope)) ? undefined : needed[0];
}
