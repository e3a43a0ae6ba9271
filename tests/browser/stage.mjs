// A test on a stage of its own: a place, its servers, and windows in which nothing may go wrong unnoticed.

import assert from "node:assert/strict";
import { after, before, test as run } from "node:test";

import { launch } from "./browser.mjs";
import { ConsolePage } from "./page.mjs";
import { Place } from "./server.mjs";

let chromium;
before(async () => { chromium = await launch(); });
after(() => chromium?.close());

// Chromium writes these itself while nobody listens at an address. No script of the page can hold them back.
const NOBODY_LISTENS = /^(WebSocket connection to '.*' failed|Failed to load resource: net::ERR_CONNECTION_(REFUSED|RESET))/;

// A test whose name is a sentence.
export function test(name, story) {
  run(name, { timeout: 300_000 }, async (t) => {
    const stage = new Stage(t);
    try {
      await story(stage);
      stage.isCalm();
    } catch (error) {
      await stage.lament();
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

  // A place beside the first, for a server that shall know nothing of it.
  another() {
    const place = new Place();
    this.others.push(place);
    return place;
  }

  // Another person's browser: nothing is shared with other contexts.
  async context() {
    const context = await chromium.browser.createBrowserContext();
    this.contexts.push(context);
    return context;
  }

  // A window that has not gone anywhere yet.
  async window({ context, viewport = { width: 1280, height: 860 } } = {}) {
    const page = await (context ?? await this.context()).newPage();
    await page.setViewport(viewport);
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(`pageerror: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && complaints.push(`${message.text()} ${message.location().url ?? ""}`.trim()));
    await page.evaluateOnNewDocument(() => addEventListener("securitypolicyviolation", (event) =>
      console.error(`violation of ${event.effectiveDirective} by ${event.blockedURI || event.sample}`)));
    const shown = new ConsolePage(page, complaints);
    this.pages.push(shown);
    return shown;
  }

  // A window with the console, paired by the link that the server prints, at this place in it.
  async open(server, { at = "#/", ...options } = {}) {
    const shown = await this.window(options);
    await shown.visit(`${server.url}#key=${server.key}`);
    await shown.connected();
    if (at !== "#/") await shown.goto(at);
    return shown;
  }

  // From here on it is no fault if nobody listens.
  mayBeAlone(shown) {
    shown.forgiven.push(NOBODY_LISTENS);
  }

  // Nothing went wrong in any window.
  isCalm() {
    for (const shown of this.pages) {
      const left = shown.complaints.filter((words) => !shown.forgiven.some((pattern) => pattern.test(words)));
      assert.deepEqual(left, [], "the browser complains");
    }
  }

  // What was to be seen when a test failed.
  async lament() {
    for (const shown of this.pages) {
      const text = await shown.page.evaluate(() => `${location.href}\n${document.body.innerText}`).catch((error) => error.message);
      this.t.diagnostic(`the page shows: ${text.slice(0, 1500)}`);
      if (shown.complaints.length > 0) this.t.diagnostic(`it complained: ${shown.complaints.join("\n").slice(0, 1500)}`);
    }
  }

  async leave() {
    for (const context of this.contexts) await context.close();
    await Promise.all([this.place, ...this.others].map((place) => place.remove()));
  }
}
