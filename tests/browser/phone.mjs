// Another client, such as a phone: it sends prompts outside of runs, and shows nothing.

import { randomUUID } from "node:crypto";

export class Phone {
  // Connects from a window that is not paired.
  static async connect(stage, server) {
    const { page } = await stage.window();
    await page.goto(server.url, { waitUntil: "load" });
    await page.evaluate((key) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/ws`);
      socket.addEventListener("message", ({ data }) => {
        const { type } = JSON.parse(data);
        if (type === "hello") socket.send(JSON.stringify({ type: "connect", api_key: key, protocol_version: "0.5.0" }));
        if (type === "connected") resolve();
      });
      globalThis.phone = socket;
    }), server.key);
    return new Phone(page);
  }

  constructor(page) {
    this.page = page;
  }

  // Sends a prompt to a session, or to a new one in this directory, and returns the session.
  async prompt(text, { directory, session }) {
    const to = session ? { resume_session_id: session } : { new_session_id: randomUUID(), working_directory: directory };
    const message = JSON.stringify({ type: "prompt", text, ...to });
    await this.page.evaluate((message) => globalThis.phone.send(message), message);
    return session ?? to.new_session_id;
  }
}
