// Takes the screenshots for the documentation.
//
//   node tests/browser/screenshots.mjs <folder>

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { launch } from "./browser.mjs";
import { ConsolePage, FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { Place } from "./server.mjs";

const DESKTOP = { width: 1280, height: 860, deviceScaleFactor: 2 };
const PHONE = { width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const ABOUT = "Only the tasks about the shopping cart.";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("which folder? node tests/browser/screenshots.mjs <folder>");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const { browser, close } = await launch();

// A window with a server of its own, in a directory whose shown name is always the same.
async function scene(options, story, { viewport = DESKTOP, scheme = "light" } = {}) {
  const place = new Place();
  try {
    const server = await place.serve(options);
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.setViewport(viewport);
    await page.emulateTimezone("UTC");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
    await page.evaluateOnNewDocument(stableNames, place.folder);
    const shown = new ConsolePage(page);
    await shown.visit(`${server.url}#key=${server.key}`);
    await shown.connected();
    await shown.goto("#/");
    await story({ shown, place, shoot: (name) => shoot(page, name) });
    await context.close();
  } finally {
    await place.remove();
  }
}

async function shoot(page, name) {
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  // A button that was pressed with a mouse shows no focus ring.
  await page.evaluate(() => document.activeElement?.matches("button") && document.activeElement.blur());
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(folder, `${name}.webp`), type: "webp", quality: 88 });
  console.log(`${name}.webp`);
}

// Shows `/home/me` instead of a temporary folder. Runs in the page, and watches what is drawn.
function stableNames(temporary) {
  const renamed = (node) => {
    if (node.nodeType === Node.TEXT_NODE && node.data.includes(temporary)) node.data = node.data.replaceAll(temporary, "/home/me");
    else node.childNodes?.forEach(renamed);
  };
  new MutationObserver((changes) => changes.forEach(({ target, addedNodes }) => [target, ...addedNodes].forEach(renamed)))
    .observe(document, { subtree: true, childList: true, characterData: true });
}

async function run({ shown, place }, recipe) {
  await shown.start({ directory: place.project, about: ABOUT, recipe });
}

// Runs to the end, and shows the run from the top.
const ended = (name) => async (stage) => {
  await run(stage);
  await stage.shown.ended();
  await stage.shown.reload();
  await stage.shown.ended();
  await until("the conversation is complete", () => stage.shown.conversation(), (rows) => rows.length > 1);
  await stage.shoot(name);
};

// An agent that has something to fix.
const FIXING = [
  { passages: ["The cart forgets its **coupons** when it is saved. I add them to `Cart::save`, and a test that loads it again."] },
  { passages: ["One issue: `Cart::load` swallows the error of a coupon that has expired."], pick: "issues-found" },
  { passages: ["It returns the error now, and a test holds it to that."] },
];

// It gets to the second review, and stays there.
const LIVE = { answers: [...FIXING, { passages: ["I read the changes again from the beginning…"], act: "silence" }] };

// It gets to the end.
const DONE = {
  answers: [
    ...FIXING,
    { passages: ["All of it reads well now: nothing is left to fix."] },
    { passages: ["Committed as *Keep the coupons of a saved cart*."] },
  ],
};

await scene({ script: "happy" }, async ({ shown, shoot }) => {
  await shoot("recipes");
  await shown.openRecipe("Refine Design");
  await shoot("recipe-refine-design");
  await shown.goto("#/");
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, "/home/me/project", "combobox");
  await shown.fill(FIELDS.about, ABOUT);
  await until("the preview is there", () => shown.page.$eval("dialog pre", (preview) => preview.textContent), (text) => text.includes(ABOUT));
  await shoot("start");
});

const live = (name) => async (stage) => {
  await run(stage);
  await until("it is at the second review", () => stage.shown.timeline(), (visits) => visits.length === 4);
  await stage.shown.reload();
  await until("the conversation is complete", () => stage.shown.conversation(), (rows) => rows.length >= 8);
  await stage.shown.sendPrompt("Please look at the rounding, too.");
  await until("it is queued", () => stage.shown.queued(), (queued) => queued.length === 1);
  await stage.shoot(name);
};
await scene({ plan: LIVE }, live("run-live"));
await scene({ plan: DONE }, ended("end-done"));
await scene({ script: "never-satisfied" }, ended("end-guardrail"));
await scene({ script: "garbage" }, ended("end-error"));
await scene({ script: "blocked" }, ended("end-waits"));

const MIXED = { answers: [{}, { pick: "issues-found" }, {}, {}, {}, { pick: "blocked" }, {}, {}, {}, { act: "auth" }] };
await scene({ plan: MIXED }, async (stage) => {
  for (const recipe of ["Implement & Review", "Implement & Review", "Review & Commit", "Rebase"]) {
    await run(stage, recipe);
    await stage.shown.ended();
  }
  await stage.shown.goto("#/runs");
  await until("all are there", () => stage.shown.runs(), (found) => found?.length === 4);
  await stage.shoot("history");
});
await scene({ plan: LIVE }, live("phone"), { viewport: PHONE, scheme: "dark" });

await close();
