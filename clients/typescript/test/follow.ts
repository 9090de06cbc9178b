// Follows the events of a running server from the first one, and prints each as a line of JSON.
// node follow.js URL TOKEN EVENTS

import { Heldtrue } from "heldtrue-client";

const [url = "", token = "", wanted = "1"] = process.argv.slice(2);
const client = new Heldtrue({ url, token });
const stop = new AbortController();
let seen = 0;
for await (const event of client.events({ after: "0.0", names: ["memory:write"], signal: stop.signal })) {
  console.log(JSON.stringify(event));
  seen += 1;
  if (seen === Number(wanted)) {
    // A little longer: what comes twice would come now.
    setTimeout(() => stop.abort(), 1200);
  }
}
console.log(JSON.stringify("the loop has ended"));
