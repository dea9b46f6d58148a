/** A button that goes through light, dark and as the system. Kept where the console keeps it. */
const KEY = "rowmill-theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const LABELS: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };
const SIGNS: Record<Theme, string> = { system: "◐", light: "☀", dark: "☾" };

export function offerThemes(): void {
  const button = document.querySelector<HTMLButtonElement>("#theme");
  if (button === null) return;
  const show = (): void => {
    const theme = current();
    button.textContent = SIGNS[theme];
    button.setAttribute("aria-label", `Colors: ${LABELS[theme]}`);
    button.title = `Colors: ${LABELS[theme]}`;
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? "system";
    if (next === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = next;
    keep(next);
    show();
  });
  show();
  button.hidden = false;
}

function current(): Theme {
  const theme = document.documentElement.dataset["theme"];
  return theme === "light" || theme === "dark" ? theme : "system";
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice lasts for this page.
  }
}
