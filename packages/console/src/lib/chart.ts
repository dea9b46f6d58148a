/** uPlot, fetched where something is drawn. */
import type UPlot from "uplot";

export async function loadChart(): Promise<typeof UPlot> {
  nameKnownLanguage();
  return (await import("uplot")).default;
}

/** Browsers in a POSIX locale name a language (`en-US@posix`) that `Intl` refuses, and uPlot asks it for that one when it is loaded. */
function nameKnownLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
  }
}
