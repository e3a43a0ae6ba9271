// A proxy between a page and the server that adds a forwarding header, so that the server does not
// treat the client as the machine's user.

import { once } from "node:events";
import { connect, createServer } from "node:net";

const END_OF_LINE = "\r\n";
const FORWARDED = "X-Forwarded-For: 192.0.2.7";

// Starts a proxy for the server. `url` leads to the server through the proxy, and `close` ends the
// proxy with all its connections.
export async function proxied(server) {
  const [host, port] = server.address.split(":");
  const open = new Set();
  const listener = createServer((client) => {
    const upstream = connect(Number(port), host);
    for (const [from, to] of [[client, upstream], [upstream, client]]) {
      open.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => { open.delete(from); to.destroy(); });
    }
    // A WebSocket has its own connection, which begins with the line of its request.
    client.once("data", (first) => {
      const at = first.indexOf(END_OF_LINE);
      upstream.write(Buffer.concat([first.subarray(0, at), Buffer.from(END_OF_LINE + FORWARDED), first.subarray(at)]));
      client.pipe(upstream);
    });
    upstream.pipe(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const close = () => {
    for (const socket of open) socket.destroy();
    listener.close();
  };
  return { url: `http://127.0.0.1:${listener.address().port}/`, key: server.key, close };
}
