/** How a receiver tells genuine deliveries from forged ones, in five languages. The files are run by our tests. */
import { useState } from "react";
import { CodeBlock } from "../../components/code-block.tsx";
import { Choice } from "../../components/field.tsx";
import { readKept, writeKept } from "../../lib/theme.ts";
import go from "./recipes/verify.go?raw";
import java from "./recipes/Verify.java?raw";
import python from "./recipes/verify.py?raw";
import ruby from "./recipes/verify.rb?raw";
import typescript from "./recipes/verify.ts?raw";

const RECIPES = {
  typescript: ["TypeScript", typescript],
  python: ["Python", python],
  go: ["Go", go],
  java: ["Java", java],
  ruby: ["Ruby", ruby],
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
