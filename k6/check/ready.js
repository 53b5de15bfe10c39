// Waits until a URL answers 200: node ready.js URL SECONDS. Status 1 where it does not in time.
const [url, seconds] = process.argv.slice(2);
const end = Date.now() + Number(seconds) * 1000;
let ready = false;
while (!ready && Date.now() < end) {
  ready = await fetch(url).then((answer) => answer.ok, () => false);
  if (!ready) {
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
process.exit(ready ? 0 : 1);
