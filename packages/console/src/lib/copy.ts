/** The clipboard, also on plain http at an address of the local network, where browsers hide the API for it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "fixed top-0 opacity-0";
  const host = document.querySelector("dialog[open]") ?? document.body;
  host.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Error("The browser does not let this page copy.");
}
