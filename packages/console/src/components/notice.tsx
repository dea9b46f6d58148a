import { RowmillApiError } from "@rowmill/client";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { baseUrl, hasEnded } from "../lib/client.ts";
import { plain } from "../lib/format.ts";
import { isUnreachable, useIsAway } from "../lib/reachable.ts";

type Tone = "bad" | "warn" | "info" | "good";
const ICONS = { bad: CircleAlert, warn: TriangleAlert, info: Info, good: CircleCheck };
const COLORS: Record<Tone, string> = { bad: "text-bad", warn: "text-warn", info: "text-accent", good: "text-good" };

export function Notice({
  tone,
  title,
  children,
  actions,
}: {
  tone: Tone;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  const Icon = ICONS[tone];
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A notice below the last field of a form would lie behind the dialog's edge.
    if (ref.current?.closest("dialog") !== null) ref.current?.scrollIntoView({ block: "nearest" });
  }, [title]);
  const isStacked = children !== undefined;
  return (
    // An alert is announced as it is inserted; of other regions, readers of screens often miss what is inserted with them.
    <div ref={ref} role={tone === "bad" ? "alert" : "status"} className="scroll-my-4">
      <div
        className={`card flex flex-wrap gap-x-3 gap-y-2 px-4 py-3 ${isStacked ? "items-start" : "items-center"} ${tone === "bad" ? "" : "animate-[appear_1ms_100ms_both]"}`}
      >
        <Icon aria-hidden size={17} className={`shrink-0 ${isStacked ? "mt-0.5" : ""} ${COLORS[tone]}`} />
        <div className="min-w-0 flex-1 basis-64">
          <p className="font-medium [overflow-wrap:anywhere]">{title}</p>
          {isStacked && <div className="text-soft [overflow-wrap:anywhere]">{children}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  );
}

/** An error with our code, its sentence, and where the docs explain it. That the service is away is said once, above the screen. */
export function ErrorNotice({ error, actions }: { error: unknown; actions?: ReactNode }) {
  const isSaidAbove = useIsAway() && actions === undefined && isUnreachable(error);
  if (isSaidAbove) return null;
  const { title, code, requestId } = readError(error);
  return (
    <Notice tone="bad" title={title} actions={actions}>
      {error instanceof RowmillApiError && error.details.length > 1 && (
        <ul className="my-1 list-disc pl-4">
          {error.details.slice(0, 8).map(({ path, message }) => (
            <li key={path + message}>
              <code className="font-mono">{path}</code> {plain(message)}
            </li>
          ))}
        </ul>
      )}
      {code !== undefined && (
        <p className="text-xs">
          <a className="link font-mono" href={`${baseUrl}v1/error-codes#${code}`} target="_blank" rel="noreferrer">
            {code}
          </a>
          {requestId !== undefined && <span className="font-mono"> · {requestId}</span>}
        </p>
      )}
    </Notice>
  );
}

/** Of what somebody has pressed: unlike what a screen reads, it is not asked for again by itself (`once.ts`). */
export function ActionError({ error }: { error: unknown }) {
  if (!isUnreachable(error)) return <ErrorNotice error={error} />;
  return (
    <Notice tone="bad" title="The service did not respond: it may have done this, or not.">
      Press the button again when the service can be reached. Nothing is done twice.
    </Notice>
  );
}

export function readError(error: unknown): { title: string; code?: string; requestId?: string } {
  if (hasEnded(error)) return { title: "The session has ended: this was not done." };
  if (error instanceof RowmillApiError)
    return {
      title: plain(error.message),
      ...(error.code === "unexpected_answer" ? {} : { code: error.code }),
      ...(error.requestId === null ? {} : { requestId: error.requestId }),
    };
  if (isUnreachable(error))
    return { title: "The service cannot be reached. The page goes on by itself when it is back." };
  return { title: error instanceof Error ? error.message : String(error) };
}

/** What a key without the scope sees in place of a screen or a part of it. */
export function Hidden({ what, scope }: { what: string; scope: string }) {
  return (
    <Notice tone="info" title={`${what} hidden.`}>
      Your key lacks the scope <code className="font-mono">{scope}</code>. An owner of the organization can give you one
      that has it.
    </Notice>
  );
}
