/** A file on its way: sent, read, and become a dataset; or the lines that it failed at, with the cure. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { DatasetUpload } from "@rowmill/client";
import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Loading } from "../../components/loading.tsx";
import { Drop } from "./drop.tsx";
import { ReadingOptions } from "./reading-options.tsx";
import { Reserved } from "./reserved.tsx";
import { Meter } from "../../components/meter.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { rowmill } from "../../lib/client.ts";
import { bytes, count, plain, plural, visible, words } from "../../lib/format.ts";
import { sendFile, startUpload, useTransfer } from "../../lib/uploads.ts";
import type { Reading, Transfer } from "../../lib/uploads.ts";

const POLL_MS = 700;
/** While rows are read, each request waits this long for the end: it is seen when it comes, and the counts go on. */
const WAIT_SECONDS = 1;
const WAITING_POLL_MS = 100;

export function UploadScreen() {
  const { datasetUploadId: id } = useParams({ from: "/frame/dataset-uploads/$datasetUploadId" });
  const transfer = useTransfer(id);
  const { data: upload, error } = useUpload(id);
  useDatasetWhenWhole(upload);
  const cure = upload === undefined ? undefined : cureOf(upload);
  const { again, chosen, setChosen } = useAgain(transfer, cure);
  if (upload === undefined)
    return (
      <Page title="Upload" tabTitle="Upload">
        {error === null ? <Loading /> : <ErrorNotice error={error} />}
      </Page>
    );
  return (
    <Page
      trail={
        <Link to="/datasets" className="link">
          Datasets
        </Link>
      }
      title={upload.name}
      tabTitle={upload.name}
      lead={<State state={upload.state} />}
    >
      {upload.state === "awaiting_content" && <Sending id={id} upload={upload} transfer={transfer} />}
      {upload.state === "processing" && <Reading upload={upload} />}
      {upload.state === "completed" && <Completed upload={upload} />}
      {upload.state === "failed" && (
        <Failed
          upload={upload}
          note={cure?.note}
          repeat={
            transfer !== undefined &&
            cure !== undefined && (
              <Button look="primary" isBusy={again.isPending} onClick={() => again.mutate(transfer.file)}>
                {cure.label}
              </Button>
            )
          }
        />
      )}
      {upload.state === "expired" && (
        <NoFile title="The file never arrived.">An upload waits a day for its content.</NoFile>
      )}
      {upload.state === "canceled" && <NoFile title="The upload was canceled.">Nothing was kept of it.</NoFile>}
      {upload.errors.length > 0 && <Lines upload={upload} />}
      {upload.state === "failed" && transfer === undefined && cure !== undefined && (
        <Again
          onFile={again.mutate}
          isBusy={again.isPending}
          text={cure.again}
          reading={chosen}
          onReading={setChosen}
        />
      )}
      {again.error !== null && <ErrorNotice error={again.error} />}
    </Page>
  );
}

/** The same file, read as it was before but for what is to be cured; `chosen` where the page does not know any more how it was. */
function useAgain(transfer: Transfer | undefined, cure: Cure | undefined) {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<Reading>({});
  const again = useMutation({
    mutationFn: (file: File) => startUpload(file, join(transfer?.reading ?? chosen, cure?.reading)),
    onSuccess: (datasetUploadId) =>
      navigate({ to: "/dataset-uploads/$datasetUploadId", params: { datasetUploadId }, replace: true }),
  });
  return { again, chosen, setChosen };
}

function Again({
  text,
  reading,
  onReading,
  ...drop
}: Pick<Parameters<typeof Drop>[0], "onFile" | "isBusy"> & {
  text: string;
  reading: Reading;
  onReading: (reading: Reading) => void;
}) {
  return (
    <>
      <Drop {...drop}>{text}</Drop>
      <ReadingOptions value={reading} onChange={onReading} />
    </>
  );
}

/** Where every row could be read, the dataset is what comes next. */
function useDatasetWhenWhole(upload: DatasetUpload | undefined): void {
  const navigate = useNavigate();
  const datasetId = upload?.state === "completed" ? upload.datasetId : null;
  useEffect(() => {
    if (datasetId !== null && (upload?.rowsRejected ?? 0) === 0)
      void navigate({ to: "/datasets/$datasetId", params: { datasetId }, replace: true });
  }, [datasetId, upload?.rowsRejected, navigate]);
}

/** While it is read, each request waits for its end. */
const useUpload = (id: string) =>
  useQuery({
    queryKey: ["dataset-uploads", id],
    queryFn: ({ client, queryKey, signal }) => {
      const isRead = client.getQueryData<DatasetUpload>(queryKey)?.state === "processing";
      return rowmill.datasetUploads.get(id, { signal, waitSeconds: isRead ? WAIT_SECONDS : 0 });
    },
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || data.state === "awaiting_content") return POLL_MS;
      return data.state === "processing" ? WAITING_POLL_MS : false;
    },
  });

function Reading({ upload }: { upload: DatasetUpload }) {
  return (
    <div className="card flex flex-col gap-2 px-5 py-4">
      <p className="text-base font-semibold tabular-nums">{plural(upload.rowsAccepted, "row")} read</p>
      <Meter
        className="h-2"
        parts={[{ value: Math.max(2, upload.progress.percent), look: "busy" }]}
        total={100}
        label="Reading the rows"
      />
      <p className="text-soft">The file is here. Its rows are checked and typed; you may close this page.</p>
    </div>
  );
}

/** The screen leads on to the dataset by itself where every row could be read. */
function Completed({ upload: { datasetId, rowsAccepted, rowsRejected } }: { upload: DatasetUpload }) {
  return (
    <Notice
      tone="good"
      title={`${plural(rowsAccepted, "row")} became a dataset. ${plural(rowsRejected, "row")} could not be read and ${rowsRejected === 1 ? "was" : "were"} left out.`}
      actions={
        datasetId !== null && (
          <ButtonLink look="primary" to="/datasets/$datasetId" params={{ datasetId }}>
            Open the dataset
          </ButtonLink>
        )
      }
    />
  );
}

function Failed({ upload, note, repeat }: { upload: DatasetUpload; note: string | undefined; repeat: ReactNode }) {
  return (
    <Notice
      tone="bad"
      title="The file did not become a dataset."
      actions={
        <>
          {repeat}
          <ButtonLink to="/datasets">Choose another file</ButtonLink>
        </>
      }
    >
      Nothing was kept of it.{" "}
      {note ?? (upload.errors.some(({ line }) => line !== null) && "Correct it, and upload it again.")}
    </Notice>
  );
}

function NoFile({ title, children }: { title: string; children: string }) {
  return (
    <Notice tone="info" title={title} actions={<ButtonLink to="/datasets">Choose a file</ButtonLink>}>
      {children}
    </Notice>
  );
}

const join = (chosen: Reading, cure: Reading = {}): Reading => ({
  ...chosen,
  ...cure,
  csv: { ...chosen.csv, ...cure.csv },
});

interface Cure {
  reading: Reading;
  note: string;
  label: string;
  /** Where the page no longer has the file. */
  again: string;
}

/** How the same file is read after all; undefined where it has nothing to read. */
function cureOf({ errors, skippable }: DatasetUpload): Cure | undefined {
  // Only tables have an encoding that can be given; the message of theirs names the field.
  if (errors.some(({ code, message }) => code === "encoding_error" && message.includes('"csv"')))
    return {
      reading: { csv: { encoding: "windows-1252" } },
      note: "Spreadsheets in Western languages often write CSV as Windows-1252.",
      label: "Read it as Windows-1252",
      again: "The same file once more: it is read as Windows-1252.",
    };
  if (skippable)
    return {
      reading: { onInvalidRow: "skip" },
      note: "Correct these lines, or leave them out.",
      label: "Upload again, without the bad rows",
      again: "The same file once more: the rows of these lines are left out.",
    };
  return undefined;
}

function Sending({ id, upload, transfer }: { id: string; upload: DatasetUpload; transfer: Transfer | undefined }) {
  if (transfer === undefined)
    return (
      <>
        <Notice tone="info" title="This upload is waiting for its file.">
          The page was reloaded, or the file is sent by another program. Choose the same file: what has arrived is not
          sent again.
        </Notice>
        <Drop onFile={(file) => void sendFile(id, file)}>{`The file of “${upload.name}”.`}</Drop>
        <Reserved id={id} />
      </>
    );
  const { file, bytesSent, error, isSending, isCut } = transfer;
  return (
    <div className="card flex flex-col gap-2 px-5 py-4">
      <p className="text-base font-semibold tabular-nums">
        {bytes(bytesSent)} of {bytes(file.size)} sent
      </p>
      <Meter
        className="h-2"
        parts={[{ value: bytesSent, look: isCut ? "quiet" : "busy" }]}
        total={Math.max(1, file.size)}
        label={`${bytes(bytesSent)} of ${bytes(file.size)} sent`}
      />
      {isSending && (
        <p role="status" className={isCut ? "flex items-center gap-2 text-warn" : "text-soft"}>
          {isCut && <WifiOff aria-hidden size={15} className="shrink-0" />}
          {isCut
            ? "The connection is lost. The upload waits, and goes on by itself from here when the service can be reached again. Leave this tab open."
            : "You may look at other screens meanwhile. After a lost network it goes on where it was."}
        </p>
      )}
      {error !== null && (
        <ErrorNotice
          error={error}
          actions={
            <Button look="primary" onClick={() => void sendFile(id, file)}>
              Go on
            </Button>
          }
        />
      )}
    </div>
  );
}

function Lines({ upload }: { upload: DatasetUpload }) {
  const { data: codes } = useQuery({
    queryKey: ["error-codes"],
    queryFn: () => rowmill.request("GET", "/v1/error-codes"),
    staleTime: Infinity,
  });
  const found = [...new Set(upload.errors.map(({ code }) => code))];
  return (
    <div className="flex flex-col gap-3">
      {found.map((code) => (
        <section key={code} className="card overflow-hidden">
          <div className="border-b border-line px-4 py-3">
            <h2 className="font-semibold">{words(code)}</h2>
            <p className="text-soft">
              {plain(codes?.uploadErrors.find((known) => known.code === code)?.meaning ?? "")}
            </p>
          </div>
          <ul className="max-h-96 divide-y divide-line overflow-y-auto">
            {upload.errors
              .filter((problem) => problem.code === code)
              .map(({ line, message, text }, i) => (
                <li key={i} className="grid grid-cols-[110px_1fr] gap-3 px-4 py-2">
                  <span className="text-soft tabular-nums">{line === null ? "Whole file" : `Line ${count(line)}`}</span>
                  <div className="min-w-0 [overflow-wrap:anywhere]">
                    <p>{visible(message)}</p>
                    {text !== null && text !== "" && (
                      <pre className="mt-1 rounded bg-raised px-2 py-1 font-mono text-xs whitespace-pre-wrap">
                        {visible(text)}
                      </pre>
                    )}
                  </div>
                </li>
              ))}
          </ul>
        </section>
      ))}
      {upload.errors.length === 100 && <p className="text-soft">These are the first hundred.</p>}
    </div>
  );
}
