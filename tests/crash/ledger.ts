/** What the service has acknowledged in a campaign: each fact stays true to its end, whatever is killed meanwhile. */

interface UploadFact {
  id: string;
  datasetId: string;
  rows: number;
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
}

export const emptyLedger = (): Ledger => ({ uploads: [], runs: [], exports: [] });
