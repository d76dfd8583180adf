import type { Page } from 'playwright-core';

/** Waits until the conversation has not moved for this many frames. Returns the distance of its view from its end in pixels. */
export function settledBelow(page: Page, frames = 20): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('.entries');
    let last = '', same = 0;
    const look = () => {
      const now = [box.scrollTop, box.scrollHeight, box.clientHeight, box.clientWidth].join();
      same = now === last ? same + 1 : 0;
      last = now;
      if (same > ${frames}) resolve(Math.abs(box.scrollHeight - box.scrollTop - box.clientHeight));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}
