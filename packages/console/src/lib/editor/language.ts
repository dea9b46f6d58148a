/** What an editor is for: a template is prose with references to columns. */
export type Language = "json" | "javascript" | "template";
