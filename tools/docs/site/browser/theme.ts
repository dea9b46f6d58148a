/** Runs before anything is drawn: the colors that the reader chose, here or in the console. */
try {
  const chosen = localStorage.getItem("rowmill-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
} catch {
  // A browser may refuse storage altogether: the colors are those of the system.
}
