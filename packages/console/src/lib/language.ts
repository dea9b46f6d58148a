/** Browsers in a POSIX locale name a language (`en-US@posix`) that `Intl` refuses, and uPlot asks it for that one when it is loaded. */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
}
