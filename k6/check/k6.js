// The part of k6 that the scripts use, for Node: requests over node:http, checks and metrics counted. See check.js.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Every check by its name: how often it held and failed, and the first answer that failed it. */
export const results = new Map();
/** Every metric by its name. */
export const metrics = new Map();

// k6's http calls return when the answer is there. Node has no such thing: a worker sends, and this thread sleeps meanwhile.
const wake = new Int32Array(new SharedArrayBuffer(4));
const { port1, port2 } = new MessageChannel();
const worker = new Worker(new URL('./sender.js', import.meta.url), { workerData: { wake, port: port2 }, transferList: [port2] });
worker.unref();

function send(requests) {
  Atomics.store(wake, 0, 0);
  port1.postMessage(requests);
  if (Atomics.wait(wake, 0, 0, 120_000) === 'timed-out') {
    throw new Error('no answer within two minutes');
  }
  return receiveMessageOnPort(port1).message.map(answer);
}

function answer(raw) {
  return {
    ...raw,
    json(selector) {
      const body = JSON.parse(raw.body);
      return selector === undefined ? body : body[selector];
    },
  };
}

function request(method, url, body, params = {}) {
  return { method, url: String(url), body: body ?? null, headers: params.headers ?? {} };
}

export const http = {
  get: (url, params) => send([request('GET', url, null, params)])[0],
  post: (url, body, params) => send([request('POST', url, body, params)])[0],
  batch: (requests) => send(requests.map((r) => request(...r))),
  expectedStatuses: () => null,
};

export function check(value, checks) {
  let all = true;
  for (const [name, holds] of Object.entries(checks)) {
    const result = results.get(name) ?? { passed: 0, failed: 0, example: null };
    results.set(name, result);
    if (holds(value)) {
      result.passed++;
    } else {
      result.failed++;
      result.example ??= `${value.status} ${String(value.body).slice(0, 300)}`;
      all = false;
    }
  }
  return all;
}

export function fail(message) {
  throw new Error(message);
}

class Metric {
  constructor(name) {
    this.values = [];
    metrics.set(name, this);
  }

  add(value) {
    this.values.push(Number(value));
  }
}

export { Metric as Counter, Metric as Rate, Metric as Trend };
export default http;
