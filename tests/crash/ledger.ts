/** What the service has acknowledged in a campaign: each fact stays true to its end, whatever is killed meanwhile. */

interface UploadFact {
  id: string;
  datasetId: string;
  rows: number;
  /** Its dataset was deleted; it stays. */
  isDeleted?: true;
}

export interface RunFact {
  id: string;
  total: number;
  succeeded: number;
  failed: number;
}

interface ExportFact {
  id: string;
  sha256: string;
}

export interface Ledger {
  uploads: UploadFact[];
  runs: RunFact[];
  exports: ExportFact[];
  /** Ids of those whose run was deleted: they are listed, and have no file. */
  expiredExports: string[];
}

export const emptyLedger = (): Ledger => ({ uploads: [], runs: [], exports: [], expiredExports: [] });
