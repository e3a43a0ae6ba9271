// Every view of the console, one after the other, for tests that apply to all of them.

import { FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { Phone } from "./phone.mjs";

// Calls `look` with each view and its name. There is one server for each script that they need.
export async function everyView(stage, options, look) {
  const pairing = await stage.serve();
  const unpaired = await stage.window(options);
  await prepared(unpaired, options);
  await unpaired.visit(pairing.url);
  await until("it asks for the key", () => unpaired.asksForKey());
  await look("pair", unpaired);
  await unpaired.pair(`untethered-${"0".repeat(32)}`);
  await until("it is refused", () => unpaired.alert());
  await look("pair, refused", unpaired);

  const shown = await stage.open(pairing, options);
  await prepared(shown, options);
  await shown.goto("#/");
  await look("recipes", shown);
  await shown.goto("#/runs");
  await look("runs, empty", shown);
  for (const { id } of await recipes(pairing)) {
    await shown.goto(`#/recipes/${id}`);
    await look(`recipe ${id}`, shown);
  }
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, "/nowhere/at/all", "combobox");
  await shown.press("Start");
  await until("it says why not", () => shown.alert());
  await look("start", shown);
  await shown.press("Cancel");
  await shown.page.evaluate(() => { location.hash = "#/recipes/nothing-like-that"; });
  shown.expectedErrors.push(/status of 404/);
  await until("it says so", () => shown.alert());
  await look("nothing there", shown);
  await shown.page.close();

  await ofRuns(stage, options, look);
  await withProof(stage, options, look);
}

// A run with long lists of checks, refused tools and changes.
async function withProof(stage, options, look) {
  const place = stage.another();
  const { many } = await everyEnd(place);
  const shown = await stage.open(await place.serve(), { ...options, at: `#/runs/${many}` });
  await prepared(shown, options);
  await shown.ended();
  await look("run, with proof", shown);
  await shown.page.close();
  await place.remove();
}

// Stores a run for every exit reason. In the answer, `lines` has the id and the reason of each,
// `many` is a run with long lists, and `denied` one with refused tools.
export async function everyEnd(place) {
  const lines = (await place.output([place.path("data")], "examples/every_end")).trim().split("\n").map((line) => line.split(" "));
  return { lines, many: lines[1][0], denied: lines.find(([, reason]) => reason === "permission_denied")[0] };
}

const LONG = "a-rather-long-name-without-any-space-in-it/".repeat(6);

async function ofRuns(stage, options, look) {
  for (const script of ["slow", "happy", "never-satisfied", "garbage", "blocked", "other", "rate-limited"]) {
    const place = stage.another();
    const server = await place.serve({ script });
    const shown = await stage.open(server, options);
    await prepared(shown, options);
    await shown.start({ directory: place.project, about: `About ${LONG}` });
    if (script === "slow") {
      await shown.sendPrompt(`Say this: ${LONG}`);
      await until("it is queued", () => shown.queued(), (queued) => queued.length === 1);
      await look("run, live", shown);
      const phone = await Phone.connect(stage, server);
      const session = await phone.prompt(`Read ${LONG}`, { directory: place.project });
      await phone.prompt(`And ${LONG}`, { session });
      await shown.goto("#/");
      await until("both are there", () => shown.work(), (rows) => rows?.length === 2);
      await look("recipes, while agents are at work", shown);
      await shown.goto(`#/sessions/${session}`);
      await until("the conversation is complete", () => shown.conversation(), (rows) => rows.length > 1);
      await look("session, at work", shown);
      await shown.press("Stop the agent");
      await until("it is marked", () => shown.undelivered(), (found) => found.length === 1);
      await look("session, stopped", shown);
      await phone.page.close();
    } else {
      await shown.ended();
      await look(`run, ${script}`, shown);
    }
    await shown.goto("#/runs");
    await look(`runs, ${script}`, shown);
    if (script === "slow") {
      stage.allowConnectionErrors(shown);
      await server.kill();
      await shown.lost();
      await look("lost", shown);
    }
    await shown.page.close();
    await place.remove();
  }
}

async function recipes(server) {
  const offered = await server.ask("/api/recipes");
  return offered.recipes ?? offered;
}

async function prepared(shown, { scheme = "light" }) {
  await shown.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
}
