/**
 * What the address needs is asked for at once: the scripts of its screen, and the run that it names, while the session is read.
 * One after the other, each would wait for the one before.
 */
import type { router as ours } from "../router.tsx";
import { baseUrl, queries } from "./client.ts";
import { runQuery } from "./runs.ts";

export function startEarly(router: typeof ours): void {
  const routes: Readonly<Record<string, { options: { component?: unknown } } | undefined>> = router.routesById;
  for (const { routeId } of router.matchRoutes(router.latestLocation.pathname) as { routeId: string }[]) {
    const component = routes[routeId]?.options.component;
    if (isLoadable(component)) void component.preload();
  }
  const [, runId] = /^runs\/(run_[0-9a-z]{26})(?:\/|$)/.exec(location.href.slice(baseUrl.length)) ?? [];
  if (runId !== undefined) queries.query(runQuery(runId)).catch(() => undefined); // the screen asks again, and shows what is wrong
}

const isLoadable = (component: unknown): component is { preload: () => Promise<void> } =>
  typeof component === "function" && "preload" in component && typeof component.preload === "function";
