/** What a tab costs and how it responds: frames, long tasks, clicks, and its memory after a collection. */
import type { BrowserContext, CDPSession, Page } from "playwright-core";

export interface Memory {
  bytes: number;
  nodes: number;
  listeners: number;
}

export interface Smoothness {
  /** Milliseconds between two frames. */
  frames: number[];
  longTasks: number;
}

export async function openDevtools(context: BrowserContext, page: Page): Promise<CDPSession> {
  return context.newCDPSession(page);
}

export async function readMemory(devtools: CDPSession): Promise<Memory> {
  // Twice: what the first collection finalizes is freed by the second.
  await devtools.send("HeapProfiler.collectGarbage");
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await devtools.send("Memory.getDOMCounters");
  return { bytes: usedSize, nodes, listeners: jsEventListeners };
}

export async function watchFrames(page: Page, ms: number): Promise<Smoothness> {
  return (await page.evaluate(`new Promise((resolve) => {
    const frames = [];
    let longTasks = 0;
    const observer = new PerformanceObserver((list) => { longTasks += list.getEntries().length; });
    observer.observe({ entryTypes: ["longtask"] });
    const end = performance.now() + ${ms};
    let last;
    const frame = (now) => {
      if (last !== undefined) frames.push(now - last);
      last = now;
      if (now < end) return requestAnimationFrame(frame);
      observer.disconnect();
      resolve({ frames, longTasks });
    };
    requestAnimationFrame(frame);
  })`)) as Smoothness;
}

/** Clicks a link and waits for the second frame after it, when what it changed is on the screen. */
export async function timeClick(page: Page, link: string): Promise<number> {
  return Number(
    await page.evaluate(`new Promise((resolve, reject) => {
      const link = [...document.querySelectorAll("a")].find((one) => one.textContent.startsWith(${JSON.stringify(link)}));
      if (link === undefined) return reject(new Error("there is no link " + ${JSON.stringify(link)}));
      const from = performance.now();
      link.click();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)));
    })`),
  );
}
