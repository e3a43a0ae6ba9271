// Waits for a condition, and reports the last value if it never holds.

import { inspect } from "node:util";

// The longest that anything may take. Only a test that fails waits this long.
export const TIMEOUT_MS = Number(process.env.SUREFIRE_TEST_PATIENCE_MS ?? 60_000);

// Reads a value again and again until the condition holds, and returns it.
export async function until(what, read, holds = Boolean) {
  const end = performance.now() + TIMEOUT_MS;
  let last;
  do {
    try {
      last = await read();
      if (holds(last)) return last;
    } catch (error) {
      // The page can redraw itself at any time, even between finding an element and using it.
      if (!/detached|not clickable|not an Element|failed to find element|context was destroyed|Node with given id/i.test(error.message)) throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  } while (performance.now() < end);
  throw new Error(`timed out waiting for: ${what}; the last value was ${inspect(last, { depth: 6, maxArrayLength: 20 })}`);
}
