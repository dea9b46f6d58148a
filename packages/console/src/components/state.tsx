/**
 * A state is an icon, a word and a color: none of them alone. The word of what is well has the color of text: in a list of a
 * thousand rows that succeeded, those that did not are seen at once.
 */
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleX,
  Clock,
  Hourglass,
  LoaderCircle,
  TriangleAlert,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { words } from "../lib/format.ts";

const LOOKS: Record<string, [LucideIcon, string, string?]> = {
  queued: [Clock, "text-soft"],
  pending: [CircleDashed, "text-soft"],
  awaiting_content: [Hourglass, "text-soft", "Waiting for content"],
  running: [LoaderCircle, "text-busy"],
  processing: [LoaderCircle, "text-busy", "Reading"],
  canceling: [LoaderCircle, "text-soft"],
  paused: [CirclePause, "text-warn"],
  succeeded: [CircleCheck, "text-good"],
  completed: [CircleCheck, "text-good"],
  accepted: [CircleCheck, "text-good"],
  ready: [CircleCheck, "text-good"],
  active: [CircleCheck, "text-good"],
  enabled: [CircleCheck, "text-good"],
  partially_succeeded: [TriangleAlert, "text-warn", "Some rows failed"],
  failing: [TriangleAlert, "text-warn"],
  failed: [CircleX, "text-bad"],
  suspended: [CircleX, "text-bad"],
  canceled: [Ban, "text-soft"],
  revoked: [Ban, "text-soft"],
  disabled: [Ban, "text-soft"],
  skipped: [CircleSlash, "text-soft"],
  suppressed: [CircleSlash, "text-soft"],
  expired: [Hourglass, "text-soft"],
};

export const stateName = (state: string): string => LOOKS[state]?.[2] ?? words(state);

export function State({ state }: { state: string }) {
  const [Icon, color] = LOOKS[state] ?? [CircleDashed, "text-soft"];
  const isWell = Icon === CircleCheck;
  return (
    <span
      className={`inline-flex items-center gap-1.5 align-top whitespace-nowrap ${isWell ? "text-ink" : `font-medium ${color}`}`}
    >
      <Icon
        aria-hidden
        size={14}
        strokeWidth={2.1}
        className={`${isWell ? color : ""} ${Icon === LoaderCircle ? "animate-spin [animation-duration:2.4s]" : ""}`}
      />
      {stateName(state)}
    </span>
  );
}
