// The server as a process, and the directories that it uses.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { TARGET } from "./browser.mjs";

const alive = new Set();
process.on("exit", () => alive.forEach((child) => child.kill("SIGKILL")));

// Runs git in a directory, without the configuration of the machine's user, and returns its output.
export function gitIn(cwd, ...words) {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const person = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
  return execFileSync("git", [...person, ...words], { cwd, env, encoding: "utf8" }).trim();
}

// Makes a directory a git work tree with one commit.
export function makeWorkTree(cwd) {
  gitIn(cwd, "init", "--quiet", "--initial-branch=main");
  gitIn(cwd, "commit", "--quiet", "--allow-empty", "--message", "First");
}

// A home, a project and a data directory. A server that is restarted in them finds the data of the
// previous one.
export class Place {
  folder = mkdtempSync(join(tmpdir(), "surefire-console-"));
  children = [];

  constructor() {
    for (const name of ["home", "project", "bin"]) mkdirSync(this.path(name));
    makeWorkTree(this.project);
    // A recipe that needs a task can start where there is a tracker. No test runs the tracker.
    mkdirSync(join(this.project, ".beads"));
    symlinkSync("/bin/sh", join(this.path("bin"), "bd"));
  }

  path(name) {
    return join(this.folder, name);
  }

  // A directory that agents may work in.
  get project() {
    return this.path("project");
  }

  // Starts the server and waits until it is ready. Its agent rehearses a script or, with a `plan`,
  // is the fake CLI. It offers the bundled recipes, or those of another `command`.
  async serve({ script = "happy", pace = 0, plan, listen = "127.0.0.1:0", command = "surefire" } = {}) {
    if (plan) writeFileSync(this.path("plan.json"), JSON.stringify(plan));
    const agent = plan
      ? ["--agent", "claude", "--agent-path", program("fake-claude")]
      : ["--agent", "rehearsal", "--rehearse", script, "--pace-ms", String(pace)];
    const child = spawn(
      program(command),
      ["serve", "--json", "--listen", listen, "--stop-agents", "--data", this.path("data"), "--root", this.folder, ...agent],
      { env: this.environment(), stdio: ["ignore", "pipe", "inherit"] },
    );
    alive.add(child);
    child.once("exit", () => alive.delete(child));
    this.children.push(child);
    const line = await new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve);
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the server exited with ${code} before it was ready`)));
    });
    return new Server(child, JSON.parse(line));
  }

  environment() {
    const { LANG } = process.env;
    const PATH = `${this.path("bin")}:${process.env.PATH}`;
    return { PATH, LANG, HOME: this.path("home"), TMPDIR: this.folder, RUST_LOG: "off", CLAUDE_CODE_FAKE_PLAN: this.path("plan.json") };
  }

  // Runs a command beside the server, and returns its exit status.
  async command(words) {
    const child = spawn(program("surefire"), [...words, "--data", this.path("data")], { env: this.environment(), stdio: "ignore" });
    alive.add(child);
    const [code] = await once(child, "exit");
    alive.delete(child);
    return code;
  }

  // Runs a command, and returns its output.
  async output(words, name = "surefire") {
    const child = spawn(program(name), words, { env: this.environment(), stdio: ["ignore", "pipe", "inherit"] });
    alive.add(child);
    const [text, [code]] = await Promise.all([child.stdout.toArray(), once(child, "exit")]);
    alive.delete(child);
    if (code !== 0) throw new Error(`${name} ${words.join(" ")} exited with ${code}`);
    return Buffer.concat(text).toString();
  }

  // The fake CLI's log of its calls.
  calls() {
    const log = this.path("calls.jsonl");
    if (!existsSync(log)) return [];
    return readFileSync(log, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  // Stops all servers and their agents, and removes the directories.
  async remove() {
    await Promise.all(this.children.map((child) => ended(child, "SIGTERM")));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

class Server {
  constructor(child, ready) {
    this.child = child;
    this.keyFile = ready.key_file;
    this.key = readFileSync(ready.key_file, "utf8").trim();
    this.address = ready.ws_url.replace("ws://", "");
    this.url = `http://${this.address}/`;
  }

  // Sends an HTTP request with the key.
  async ask(path) {
    const answer = await fetch(new URL(path, this.url), { headers: { authorization: `Bearer ${this.key}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.json();
  }

  // `kill -9`: the server cannot react to it.
  kill() {
    return ended(this.child, "SIGKILL");
  }
}

async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

function program(name) {
  const path = join(TARGET, "debug", name);
  if (!existsSync(path)) throw new Error(`there is no ${path}: build it with \`cargo build --workspace --bins --examples --features surefire/__crash-points\``);
  return path;
}
