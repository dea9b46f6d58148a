import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { bytes } from "../../lib/format.ts";
import { useMay } from "../../lib/session.ts";

/** An upload that is never completed keeps what it has reserved for a day: it can be ended here. */
export function Reserved({ id }: { id: string }) {
  const mayWrite = useMay("datasets:write");
  const { data: content } = useQuery({
    queryKey: ["dataset-uploads", id, "content"],
    queryFn: () =>
      rowmill.request("GET", "/v1/dataset-uploads/{datasetUploadId}/content/resumable", {
        path: { datasetUploadId: id },
      }),
    enabled: mayWrite,
  });
  const cancel = useMutation({
    mutationFn: () => rowmill.datasetUploads.cancel(id),
    onSuccess: (upload) => queries.setQueryData(["dataset-uploads", id], upload),
  });
  if (!mayWrite || content === undefined) return null;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[80ch] text-soft">
          {content.sizeBytes === null
            ? "Its size was not stated: until the content is complete, it counts with the size of the largest dataset, or with all that is left, toward the storage of the organization."
            : `Until the content is complete, it counts with ${bytes(content.sizeBytes)} toward the storage of the organization.`}
        </p>
        <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel the upload
        </Button>
      </div>
      {cancel.error !== null && <ErrorNotice error={cancel.error} />}
    </>
  );
}
