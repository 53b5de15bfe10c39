// Sends what k6.js asks for, each list at once, and wakes it when all answers are there. Runs as a worker.
import http from 'node:http';
import { workerData } from 'node:worker_threads';

const { wake, port } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

function send({ method, url, body, headers }) {
  return new Promise((resolve) => {
    const bytes = body === null ? Buffer.alloc(0) : Buffer.from(body);
    const length = method === 'GET' ? {} : { 'Content-Length': bytes.length };
    const sent = http.request(url, { method, agent, timeout: 60_000, headers: { ...headers, ...length } }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', (error) => resolve(unanswered(error)));
      response.on('end', () =>
        resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString(), headers: response.headers, error: '' }),
      );
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer within a minute')));
    sent.on('error', (error) => resolve(unanswered(error)));
    sent.end(bytes);
  });
}

function unanswered(error) {
  return { status: 0, body: null, headers: {}, error: String(error) };
}

port.on('message', async (requests) => {
  port.postMessage(await Promise.all(requests.map(send)));
  Atomics.store(wake, 0, 1);
  Atomics.notify(wake, 0);
});
