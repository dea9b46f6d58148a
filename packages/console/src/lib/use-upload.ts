/** Begins to send a chosen file, and shows it on its way. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { startUpload } from "./uploads.ts";
import type { Reading } from "./uploads.ts";

export function useUpload(reading: Reading = {}) {
  const router = useRouter();
  const navigate = useNavigate();
  useEffect(() => {
    // Before a file is chosen: the network may be lost between the beginning of the upload and the screen that shows it.
    void router.loadRouteChunk(router.routesById["/frame/dataset-uploads/$datasetUploadId"]);
  }, [router]);
  return useMutation({
    mutationFn: (file: File) => startUpload(file, reading),
    onSuccess: (datasetUploadId) => navigate({ to: "/dataset-uploads/$datasetUploadId", params: { datasetUploadId } }),
  });
}
