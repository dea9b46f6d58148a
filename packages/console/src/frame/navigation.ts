/** The places of the console, in the order of the main job; each with the scope that it needs and its two keys. */
import { Activity, Building2, Database, FileCog, House, Plug } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { Session } from "@rowmill/client";
import type { Scope } from "../lib/session.ts";

export interface Place {
  to: "/" | "/runs" | "/datasets" | "/job-specs" | "/connections" | "/organizations";
  label: string;
  icon: LucideIcon;
  /** `g` and a letter. */
  keys: string;
  scope?: Scope;
  group: "work" | "connect" | "organization" | "operator";
}

export const places: readonly Place[] = [
  { to: "/", label: "Home", icon: House, keys: "g h", group: "work" },
  { to: "/runs", label: "Runs", icon: Activity, keys: "g r", scope: "runs:read", group: "work" },
  { to: "/datasets", label: "Datasets", icon: Database, keys: "g d", scope: "datasets:read", group: "work" },
  { to: "/job-specs", label: "Job specs", icon: FileCog, keys: "g j", scope: "job_specs:read", group: "work" },
  { to: "/connections", label: "Connections", icon: Plug, keys: "g c", scope: "connections:read", group: "connect" },
  { to: "/organizations", label: "Organizations", icon: Building2, keys: "g o", group: "operator" },
];

/** The operator's key reaches no organization's things, and an organization's key not the operator's. */
export const mayVisit = ({ scope, group }: Place, session: Session): boolean =>
  session.kind === "admin"
    ? group === "operator"
    : group !== "operator" && (scope === undefined || session.scopes.includes(scope));
