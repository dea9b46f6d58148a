/** How a receiver distinguishes genuine deliveries from forged ones, in five languages. The files are run by our tests. */
import { useState } from "react";
import { CodeBlock } from "./code-block.tsx";
import { Choice } from "../../components/field.tsx";
import { readKept, writeKept } from "../../lib/theme.ts";

const files = import.meta.glob<string>("./recipes/*", { query: "?raw", import: "default", eager: true });
const fileNamed = (name: string): string => files[`./recipes/${name}`] ?? "";

const RECIPES = {
  typescript: ["TypeScript", fileNamed("verify.ts")],
  python: ["Python", fileNamed("verify.py")],
  go: ["Go", fileNamed("verify.go")],
  java: ["Java", fileNamed("Verify.java")],
  ruby: ["Ruby", fileNamed("verify.rb")],
} as const;
type Language = keyof typeof RECIPES;
const LANGUAGES = Object.keys(RECIPES) as Language[];
const KEY = "rowmill-language";

export function Recipe() {
  const [language, setLanguage] = useState<Language>(
    () => LANGUAGES.find((known) => known === readKept(KEY)) ?? "typescript",
  );
  const [name, code] = RECIPES[language];
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Choice
        label="Language"
        isLabelHidden
        value={language}
        options={LANGUAGES.map((known) => [known, RECIPES[known][0]] as const)}
        onChange={(chosen) => {
          setLanguage(chosen);
          writeKept(KEY, chosen);
        }}
      />
      <CodeBlock code={code.trimEnd()} label={`the check in ${name}`} />
      <p className="max-w-prose text-soft">
        Respond 2xx within 15 seconds, and store each id once: a delivery whose response is lost comes again.
      </p>
    </div>
  );
}
