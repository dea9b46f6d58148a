/** What `rowmill doctor` says of one thing. */
export interface Finding {
  level: "ok" | "note" | "warning" | "problem";
  subject: string;
  message: string;
  /** What to do. */
  advice?: string;
}
