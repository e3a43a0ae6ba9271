// Chromium, with a temporary profile and without access to the network.

import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

// Where cargo builds, and where `scripts/install-browser` puts the library.
export const TARGET = process.env.CARGO_TARGET_DIR ? resolve(process.env.CARGO_TARGET_DIR) : join(ROOT, "target");

const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--no-first-run",
  "--no-proxy-server",
  "--force-color-profile=srgb",
  // No host name is resolved, so that a faulty test cannot reach another machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

// Starts a browser. `close` ends it and removes its profile.
export async function launch() {
  const profile = mkdtempSync(join(tmpdir(), "surefire-browser-"));
  const remove = () => rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  // The sandbox does not work for root. All other users run with it.
  const sandbox = process.getuid() === 0 ? ["--no-sandbox"] : [];
  try {
    const browser = await library().launch({
      executablePath: program("chromium"),
      userDataDir: profile,
      args: [...FLAGS, ...sandbox],
      env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: join(profile, "config"), XDG_CACHE_HOME: join(profile, "cache") },
      protocolTimeout: 120_000,
    });
    return { browser, close: () => browser.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

// The library is installed in cargo's target directory, where `import` does not search.
function library() {
  try {
    return createRequire(join(TARGET, "browser-client/package.json"))("puppeteer-core");
  } catch (error) {
    throw new Error(`the browser library is missing: run \`scripts/install-browser\` (${error.message})`);
  }
}

function program(name) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // It may be in the next folder.
    }
  }
  throw new Error(`there is no \`${name}\` command: run \`scripts/install-browser\``);
}
