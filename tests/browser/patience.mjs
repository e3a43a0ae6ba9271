// Waiting for something to become true, and saying what was there instead if it does not.

import { inspect } from "node:util";

// The longest that anything may take. Nothing waits for it to pass, unless a test fails.
export const PATIENCE = Number(process.env.SUREFIRE_TEST_PATIENCE_MS ?? 60_000);

// Reads something again and again until it is as it should be, and gives it back.
export async function until(what, read, holds = Boolean) {
  const end = performance.now() + PATIENCE;
  let last;
  do {
    try {
      last = await read();
      if (holds(last)) return last;
    } catch (error) {
      // A page draws itself anew whenever it likes, also between looking at it and touching it.
      if (!/detached|not clickable|not an Element|failed to find element|context was destroyed|Node with given id/i.test(error.message)) throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  } while (performance.now() < end);
  throw new Error(`it never came to this: ${what}; at last there was ${inspect(last, { depth: 6, maxArrayLength: 20 })}`);
}
