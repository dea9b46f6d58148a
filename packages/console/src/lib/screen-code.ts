/**
 * The code of a screen, fetched when it is visited. Where the fetch fails, the router would reload the page: without a network that
 * ends at a page of the browser, and what was typed or is being sent is lost. Here the failure is an error of the screen, which
 * offers to try again (`frame/screen-error.tsx`).
 */
import { lazyRouteComponent } from "@tanstack/react-router";
import type { AsyncRouteComponent } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { RowmillConnectionError } from "@rowmill/client";
import { baseUrl } from "./client.ts";

export class ScreenCodeError extends Error {
  /** Fetches the code again, and returns whether it is there. */
  readonly fetchAgain: () => Promise<boolean>;

  constructor(cause: unknown, fetchAgain: () => Promise<boolean>) {
    super("The code of this screen could not be loaded.", { cause });
    this.name = "ScreenCodeError";
    this.fetchAgain = fetchAgain;
  }
}

export function lazyScreen<K extends string>(
  load: () => Promise<Readonly<Record<K, () => ReactNode>>>,
  name: K,
): AsyncRouteComponent<object> {
  let isLoaded = false;
  const component: AsyncRouteComponent<object> = lazyRouteComponent(async () => {
    try {
      const screen = (await load())[name];
      isLoaded = true;
      return { default: screen };
    } catch (error) {
      throw new ScreenCodeError(error, async () => {
        await component.preload?.();
        return isLoaded;
      });
    }
  });
  return component;
}

const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="rowmill-build"]')?.content ?? "development";
/** Pages of Vite's own server have no build. */
export const hasBuild = ownBuild !== "development";
export const isOtherBuild = (served: string | undefined): boolean =>
  hasBuild && served !== undefined && served !== ownBuild;

/** The build that the service has now. */
export async function readServedBuild(signal?: AbortSignal): Promise<string> {
  let response: Response;
  try {
    response = await fetch(`${baseUrl}console.json`, { cache: "no-store", ...(signal !== undefined && { signal }) });
  } catch (error) {
    // As the client reports it: the line above the screen says that the service is away.
    throw new RowmillConnectionError("The service cannot be reached.", { cause: error });
  }
  if (!response.ok) throw new RowmillConnectionError(`The response to console.json was ${response.status}.`);
  const { build } = (await response.json()) as { build: string }; // our own route
  return build;
}
