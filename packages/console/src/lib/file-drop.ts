/**
 * A file that is dropped anywhere on a screen goes to the place of the screen that takes files. Without one it is refused: a browser
 * would leave the console and show the file, and what was written would be lost.
 */
import { useEffect, useRef, useState } from "react";
import { toast } from "../components/toast.tsx";

interface Place {
  take: (file: File) => void;
  setOver: (isOver: boolean) => void;
}
let places: readonly Place[] = [];

/** Whether a file is over the page and would be taken. */
export function useFileDrop(onFile: ((file: File) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;
  const isTaking = onFile !== undefined;
  useEffect(() => {
    if (!isTaking) return;
    const place: Place = { take: (file) => latest.current?.(file), setOver };
    places = [...places, place];
    return () => {
      places = places.filter((other) => other !== place);
      setOver(false);
    };
  }, [isTaking]);
  return isOver;
}

/** For as long as the page is there. */
export function listenForFiles(): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  window.addEventListener("dragover", onDragOver, { signal });
  window.addEventListener("dragleave", onDragLeave, { signal });
  window.addEventListener("drop", onDrop, { signal });
  return () => stop.abort();
}

function onDragOver(event: DragEvent): void {
  // An editor takes what is dropped on it by itself. It prevents nothing before the drop.
  if (event.composedPath().some((target) => target instanceof HTMLElement && target.isContentEditable)) return;
  const { dataTransfer } = event;
  if (event.defaultPrevented || dataTransfer?.types.includes("Files") !== true) return;
  event.preventDefault();
  const place = placeNow();
  dataTransfer.dropEffect = place === undefined ? "none" : "copy";
  place?.setOver(true);
}

function onDragLeave({ relatedTarget }: DragEvent): void {
  // From one element to another, it is still over the page.
  if (relatedTarget === null) for (const place of places) place.setOver(false);
}

function onDrop(event: DragEvent): void {
  const { dataTransfer } = event;
  for (const place of places) place.setOver(false);
  if (event.defaultPrevented || dataTransfer?.types.includes("Files") !== true) return;
  event.preventDefault();
  const place = placeNow();
  const [file] = dataTransfer.files;
  if (place === undefined || file === undefined) return;
  if (dataTransfer.files.length > 1) toast("Nothing was uploaded: drop one file at a time.", "bad");
  else if (dataTransfer.items[0]?.webkitGetAsEntry()?.isDirectory === true)
    toast("A folder cannot be uploaded: drop a file.", "bad");
  else place.take(file);
}

/** Behind a dialog, nothing takes files. */
const placeNow = (): Place | undefined => (document.querySelector("dialog[open]") === null ? places.at(-1) : undefined);
