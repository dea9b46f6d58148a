/** The editor is a part of its own, which a browser loads once, while the screen is there already. */
import type { Extension } from "@codemirror/state";
import type { CodeEditor, EditorOptions } from "./editor.ts";
import type { Language } from "./language.ts";

export type CreateEditor = (host: HTMLElement, options: Omit<EditorOptions, "language" | "grammar">) => CodeEditor;

export async function loadEditor(language: Language): Promise<CreateEditor> {
  const [{ createEditor }, grammar] = await Promise.all([
    import("./editor.ts"),
    language === "javascript" ? loadJavaScript() : undefined,
  ]);
  return (host, options) => createEditor(host, { ...options, language, ...(grammar === undefined ? {} : { grammar }) });
}

async function loadJavaScript(): Promise<Extension> {
  const { javascript } = await import("./javascript.ts");
  return javascript();
}
