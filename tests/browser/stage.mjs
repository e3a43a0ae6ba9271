// The stage of a test: its directories, servers and windows. An unexpected error in a window fails
// the test.

import assert from "node:assert/strict";
import { after, before, test as run } from "node:test";

import { launch } from "./browser.mjs";
import { ConsolePage } from "./page.mjs";
import { Place } from "./server.mjs";

let chromium;
before(async () => { chromium = await launch(); });
after(() => chromium?.close());

// Chromium logs these itself while the server is down. No script of the page can suppress them.
const CONNECTION_ERRORS = /^(WebSocket connection to '.*' failed|Failed to load resource: net::ERR_CONNECTION_(REFUSED|RESET))/;

// A test whose name is a sentence.
export function test(name, story) {
  run(name, { timeout: 300_000 }, async (t) => {
    const stage = new Stage(t);
    try {
      await story(stage);
      stage.assertNoErrors();
    } catch (error) {
      await stage.reportFailure();
      throw error;
    } finally {
      await stage.leave();
    }
  });
}

class Stage {
  place = new Place();
  others = [];
  contexts = [];
  pages = [];

  constructor(t) {
    this.t = t;
  }

  serve(options) {
    return this.place.serve(options);
  }

  // Separate directories, for a server that shares no data with the first.
  another() {
    const place = new Place();
    this.others.push(place);
    return place;
  }

  // A separate browser profile, which shares nothing with other contexts.
  async context() {
    const context = await chromium.browser.createBrowserContext();
    this.contexts.push(context);
    return context;
  }

  // A window that has not opened a page yet.
  async window({ context, viewport = { width: 1280, height: 860 } } = {}) {
    const page = await (context ?? await this.context()).newPage();
    await page.setViewport(viewport);
    const errors = [];
    page.on("pageerror", (error) => errors.push(`pageerror: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && errors.push(`${message.text()} ${message.location().url ?? ""}`.trim()));
    await page.evaluateOnNewDocument(() => addEventListener("securitypolicyviolation", (event) =>
      console.error(`violation of ${event.effectiveDirective} by ${event.blockedURI || event.sample}`)));
    const shown = new ConsolePage(page, errors);
    this.pages.push(shown);
    return shown;
  }

  // A window with the console at this address, paired by the link that the server prints.
  async open(server, { at = "#/", ...options } = {}) {
    const shown = await this.window(options);
    await shown.visit(`${server.url}#key=${server.key}`);
    await shown.connected();
    if (at !== "#/") await shown.goto(at);
    return shown;
  }

  // From now on, failed connections to the server are not errors.
  allowConnectionErrors(shown) {
    shown.expectedErrors.push(CONNECTION_ERRORS);
  }

  // There was no unexpected error in any window.
  assertNoErrors() {
    for (const shown of this.pages) {
      const left = shown.errors.filter((words) => !shown.expectedErrors.some((pattern) => pattern.test(words)));
      assert.deepEqual(left, [], "the browser reports errors");
    }
  }

  // Reports what the windows showed when a test failed.
  async reportFailure() {
    for (const shown of this.pages) {
      const text = await shown.page.evaluate(() => `${location.href}\n${document.body.innerText}`).catch((error) => error.message);
      this.t.diagnostic(`the page shows: ${text.slice(0, 1500)}`);
      if (shown.errors.length > 0) this.t.diagnostic(`its errors: ${shown.errors.join("\n").slice(0, 1500)}`);
    }
  }

  async leave() {
    for (const context of this.contexts) await context.close();
    await Promise.all([this.place, ...this.others].map((place) => place.remove()));
  }
}
