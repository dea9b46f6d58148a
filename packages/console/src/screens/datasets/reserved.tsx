import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
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
  const [isAsking, setAsking] = useState(false);
  if (!mayWrite || content === undefined) return null;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[80ch] text-soft">
          {content.sizeBytes === null
            ? "Its size was not stated: until the content is complete, it counts with the size of the largest dataset, or with all that is left, toward the storage of the organization."
            : `Until the content is complete, it counts with ${bytes(content.sizeBytes)} toward the storage of the organization.`}
        </p>
        <Button onClick={() => setAsking(true)}>Cancel the upload</Button>
      </div>
      {isAsking && (
        <Confirm
          title="Cancel this upload?"
          action="Cancel the upload"
          onClose={() => setAsking(false)}
          onConfirm={async () => queries.setQueryData(["dataset-uploads", id], await rowmill.datasetUploads.cancel(id))}
        >
          What has arrived of the file is not kept. Another tab or a program that still sends it cannot go on.
        </Confirm>
      )}
    </>
  );
}
