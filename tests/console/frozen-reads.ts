import type { Page } from "playwright-core";
import type { JobSpec } from "@rowmill/client";

/**
 * A tab that does not see what is saved elsewhere before it saves itself. A part of its screen that comes late, or the next poll, reads
 * the job spec by itself: until `hold` it gets `jobSpec`, then it waits for `release`, as the read of the save does.
 */
export async function freezeReads(page: Page, jobSpec: JobSpec): Promise<{ hold: () => void; release: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isWaiting = false;
  await page.route(`**/v1/job-specs/${jobSpec.id}`, async (route) => {
    if (route.request().method() === "GET" && !isWaiting) return route.fulfill({ json: jobSpec });
    if (route.request().method() === "GET") await promise;
    await route.continue();
  });
  return { hold: () => (isWaiting = true), release: resolve };
}
