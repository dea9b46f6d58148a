/** A button that goes through light, dark and as the system. Kept where the console keeps it. */
const KEY = "rowmill-theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const LABELS: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };
const SVG = "http://www.w3.org/2000/svg";
/** A screen, a sun and a moon, each as the lines of a picture of 24 units. */
const PICTURES: Record<Theme, string> = {
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light:
    "M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM12 4V2M12 22v-2M4 12H2M22 12h-2M5.6 5.6 4.2 4.2M19.8 19.8l-1.4-1.4M18.4 5.6l1.4-1.4M4.2 19.8l1.4-1.4",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
};

export function offerThemes(): void {
  const button = document.querySelector<HTMLButtonElement>("#theme");
  if (button === null) return;
  const show = (): void => {
    const theme = current();
    button.replaceChildren(pictureOf(theme));
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

function pictureOf(theme: Theme): SVGElement {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const lines = document.createElementNS(SVG, "path");
  lines.setAttribute("d", PICTURES[theme]);
  picture.append(lines);
  return picture;
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice lasts for this page.
  }
}
