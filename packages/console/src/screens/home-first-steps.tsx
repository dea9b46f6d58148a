/** For a newcomer: the three ways to begin. */
import { useNavigate } from "@tanstack/react-router";
import { FileUp, Plug, Table2 } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useRef, useState } from "react";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "../components/button.tsx";
import { ErrorNotice } from "../components/notice.tsx";
import { useDatasetChoice } from "../lib/choices.ts";
import { demoFile } from "../lib/demo-data.ts";
import { useFileDrop } from "../lib/file-drop.ts";
import { plural, visible } from "../lib/format.ts";
import { useMay } from "../lib/session.ts";
import { useUpload } from "../lib/use-upload.ts";
import { ConnectionDialog } from "./connections/connection-dialog.tsx";

export function FirstSteps() {
  const mayBring = useMay("datasets:write");
  const mayConnect = useMay("connections:write");
  const [isConnecting, setConnecting] = useState(false);
  const upload = useUpload();
  return (
    <>
      <p className="-mt-3 max-w-prose text-soft">
        A file becomes a table, a job spec says what happens to each row, and a run does it to all of them. Begin with
        any of these.
      </p>
      <div className="grid gap-4 md:grid-cols-3">
        <DataStep upload={mayBring ? upload : undefined} />
        <Step
          icon={Table2}
          title="Try the demo data"
          action={
            mayBring && (
              <Button isBusy={upload.isPending} onClick={() => upload.mutate(demoFile())}>
                Load 200 reviews
              </Button>
            )
          }
        >
          Reviews of a shop. Rehearse a run on them, with failures and a retry, without a model and without a cent.
        </Step>
        <Step
          icon={Plug}
          title="Connect a model"
          action={mayConnect && <Button onClick={() => setConnecting(true)}>New connection</Button>}
        >
          OpenAI, Anthropic, or a model on your machine. Its key is stored encrypted, and nobody sees it again.
        </Step>
      </div>
      {upload.error !== null && (
        <ErrorNotice
          error={upload.error}
          actions={
            <Button look="primary" isBusy={upload.isPending} onClick={() => upload.mutate(upload.variables)}>
              Try again
            </Button>
          }
        />
      )}
      {isConnecting && <NewConnection onClose={() => setConnecting(false)} />}
    </>
  );
}

/** A file comes first, and a job spec once there is one. */
function DataStep({ upload }: { upload: ReturnType<typeof useUpload> | undefined }) {
  const newest = useDatasetChoice()?.[0];
  const isOver = useFileDrop(upload === undefined || upload.isPending ? undefined : upload.mutate);
  return (
    <Step
      icon={FileUp}
      isMarked={isOver}
      title={newest === undefined ? "Bring a file" : "Say what happens to each row"}
      action={
        upload !== undefined && (
          <span className="flex flex-wrap gap-2">
            {newest !== undefined && (
              <ButtonLink look="primary" to="/job-specs/new" search={{ datasetId: newest.id }}>
                New job spec
              </ButtonLink>
            )}
            <FileButton look={newest === undefined ? "primary" : "plain"} upload={upload} />
          </span>
        )
      }
    >
      {newest === undefined
        ? "CSV, JSON Lines or Parquet, of any size: choose it, or drop it here. Every column gets a type, and no digit is lost."
        : `“${visible(newest.name)}” has ${plural(newest.rowCount, "row")}. Next comes a job spec: a question to a model, a request or a function.`}
    </Step>
  );
}

function FileButton({ look, upload }: { look: "primary" | "plain"; upload: ReturnType<typeof useUpload> }) {
  const fileInput = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look={look} isBusy={upload.isPending} onClick={() => fileInput.current?.click()}>
        Choose a file
      </Button>
      <input
        ref={fileInput}
        type="file"
        hidden
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = "";
          if (file !== undefined) upload.mutate(file);
        }}
      />
    </>
  );
}

/** Once the connection is there, closing the dialog leads to it. */
function NewConnection({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const isConnected = useRef(false);
  return (
    <ConnectionDialog
      types={["openai_compatible", "anthropic"]}
      onClose={() => {
        onClose();
        if (isConnected.current) void navigate({ to: "/connections" });
      }}
      onSaved={() => {
        isConnected.current = true;
      }}
    />
  );
}

function Step({
  icon: Icon,
  title,
  action,
  isMarked = false,
  children,
}: {
  icon: LucideIcon;
  title: string;
  action: ReactNode;
  isMarked?: boolean;
  children: string;
}) {
  return (
    <section className={`card flex flex-col items-start gap-2 px-5 py-5 ${isMarked ? "border-accent bg-raised" : ""}`}>
      <Icon aria-hidden size={22} strokeWidth={1.6} className="text-accent" />
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="flex-1 text-soft">{children}</p>
      <div className="mt-2">{action}</div>
    </section>
  );
}
