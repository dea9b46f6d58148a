/** A button on each block of code. Browsers allow copying on https and on this machine only. */
const SHOWN_MS = 1500;

export function offerCopying(): void {
  if (!("clipboard" in navigator)) return;
  for (const block of document.querySelectorAll<HTMLElement>("article pre")) {
    const frame = document.createElement("div");
    frame.className = "code";
    block.before(frame);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copy(block, button));
    frame.append(block, button);
  }
}

async function copy(block: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(commandsOf(block.textContent));
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => (button.textContent = "Copy"), SHOWN_MS);
}

/** Of a session in a shell, what was typed. */
function commandsOf(text: string): string {
  const typed = text.split("\n").filter((line) => line.startsWith("$ "));
  return typed.length === 0 ? text : `${typed.map((line) => line.slice(2)).join("\n")}\n`;
}
