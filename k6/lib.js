// What the scripts share: settings from the environment, the requests, the sequence, uniqueness.
// Only what k6 0.48 and 2.x both have.
import http from 'k6/http';
import { check, fail } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';
import { closed, created, issued, keyReused, nextMany, nextOne, repeated, Seen, settledMany, settledOne } from './checks.js';

/**
 * @typedef {import('./checks.js').Issued} Issued
 * @typedef {{sequence: string, from: number}} Setup what `setup` hands to the other functions; `from`: the first value of this run
 */

/**
 * @param {string} name
 * @param {number} fallback
 */
export function numberEnv(name, fallback) {
  const text = __ENV[name];
  if (text === undefined || text === '') {
    return fallback;
  }
  const value = Number(text);
  if (!(value >= 0)) {
    throw new Error(`${name} has to be a number, not ${text}`);
  }
  return value;
}

/**
 * @param {string} name
 * @param {string} fallback
 */
export function textEnv(name, fallback) {
  return __ENV[name] || fallback;
}

export const baseUrl = textEnv('BASE_URL', 'http://127.0.0.1:8080').replace(/\/+$/, '');
/** How many numbers a VU remembers. A million of them take about 100 MB. */
const remembered = numberEnv('REMEMBER', 200000);
const idleVus = numberEnv('VUS', 64);
/** The most values that one closure is asked for. */
const closureSpan = 1000000;

/** Numbers received. */
export const numbers = new Counter('reissue_numbers');
/** Numbers taken and confirmed. */
export const pairs = new Counter('reissue_pairs');
/** Share of answers with a number that nobody may have got again. */
export const unique = new Rate('reissue_unique');
/** Share of repeated requests that were answered as the first one. */
export const replayed = new Rate('reissue_replayed');
/** Milliseconds from the request for a number to its confirmation. */
export const lifetime = new Trend('reissue_lifetime', true);

const seen = new Seen(remembered);
const settledForGood = new Seen(remembered);

const apiKey = textEnv('API_KEY', '');
/** @type {{[name: string]: string}} What every request says of its caller. */
const auth = apiKey === '' ? {} : { Authorization: `Bearer ${apiKey}` };
/** @type {{[name: string]: string}} */
const json = Object.assign({ 'Content-Type': 'application/json' }, auth);

/**
 * Creates the script's sequence where it is not there. SEQUENCE names another one, which is used as it is.
 * @param {string} name
 * @param {object} fields
 * @returns {Setup}
 */
export function ensureSequence(name, fields) {
  const sequence = textEnv('SEQUENCE', name);
  const url = `${baseUrl}/v1/sequences`;
  const there = http.get(`${url}/${sequence}`, {
    headers: auth,
    tags: { name: 'sequence' },
    responseCallback: http.expectedStatuses(200, 404),
  });
  if (there.status === 404) {
    const format = `${sequence.toUpperCase()}-{seq:10}`;
    const body = JSON.stringify(Object.assign({ name: sequence, format: format }, fields));
    const answer = http.post(url, body, { headers: json, tags: { name: 'create' } });
    if (!check(answer, created)) {
      fail(`the sequence ${sequence} cannot be created: ${answer.status} ${answer.body}`);
    }
  } else if (there.status !== 200) {
    fail(`${baseUrl} does not answer as Reissue does: ${there.status} ${there.error || there.body}`);
  }
  return { sequence: sequence, from: nextValue(sequence) };
}

/**
 * The first value that no instance has leased.
 * @param {string} sequence
 */
function nextValue(sequence) {
  const answer = http.get(`${baseUrl}/v1/sequences/${sequence}`, { headers: auth, tags: { name: 'sequence' } });
  return Number(/** @type {any} */ (answer.json()).nextValue);
}

/**
 * @param {string} sequence
 * @param {string} call
 */
function path(sequence, call) {
  return `${baseUrl}/v1/sequences/${sequence}/${call}`;
}

/**
 * Takes one number, null where it was refused.
 * @param {string} sequence
 * @returns {Issued | null}
 */
export function next(sequence) {
  const answer = http.post(path(sequence, 'next'), null, { headers: auth, tags: { name: 'next' } });
  return check(answer, nextOne) ? received(issued(answer))[0] : null;
}

/**
 * Takes many numbers in one call, none where it was refused.
 * @param {string} sequence
 * @param {number} count 1 to 1000
 * @returns {Issued[]}
 */
export function nextBatch(sequence, count) {
  const answer = http.post(path(sequence, `next?count=${count}`), null, { headers: auth, tags: { name: 'next-many' } });
  return check(answer, nextMany(count)) ? received(issued(answer)) : [];
}

/**
 * Takes numbers by as many calls at once. All of them are seen by one VU, so that two connections that get the same number
 * are noticed.
 * @param {string} sequence
 * @param {number} calls
 * @returns {Issued[]}
 */
export function nextAtOnce(sequence, calls) {
  /** @type {[string, string, null, {headers: {[name: string]: string}, tags: {name: string}}][]} */
  const requests = [];
  for (let i = 0; i < calls; i++) {
    requests.push(['POST', path(sequence, 'next'), null, { headers: auth, tags: { name: 'next-at-once' } }]);
  }
  /** @type {Issued[]} */
  let all = [];
  http.batch(requests).forEach((answer) => {
    if (check(answer, nextOne)) {
      all = all.concat(received(issued(answer)));
    }
  });
  return all;
}

/**
 * @param {string} url
 * @param {string | null} body
 * @param {string} key
 * @param {string} name
 */
function keyed(url, body, key, name) {
  const type = body === null ? auth : json;
  return http.post(url, body, { headers: Object.assign({ 'Idempotency-Key': `"${key}"` }, type), tags: { name: name } });
}

/**
 * Takes one number under a key, and again as a caller does whose answer was lost; null where it was refused.
 * @param {string} sequence
 * @param {string} key
 * @param {number} repeats how often the same request is sent again
 * @returns {Issued | null}
 */
export function nextUnderKey(sequence, key, repeats) {
  const first = keyed(path(sequence, 'next'), null, key, 'next-key');
  if (!check(first, nextOne)) {
    return null;
  }
  for (let i = 0; i < repeats; i++) {
    replayed.add(check(keyed(path(sequence, 'next'), null, key, 'next-again'), repeated('next', first)));
  }
  return received(issued(first))[0];
}

/**
 * Confirms or abandons one number under a key, and again as often as wanted.
 * @param {string} sequence
 * @param {string} kind `confirm` or `abandon`
 * @param {Issued} item
 * @param {string} key
 * @param {number} repeats
 */
export function settleUnderKey(sequence, kind, item, key, repeats) {
  const body = JSON.stringify({ ticket: item.ticket });
  const first = keyed(path(sequence, kind), body, key, `${kind}-key`);
  check(first, settledOne(kind, item.number));
  for (let i = 0; i < repeats; i++) {
    replayed.add(check(keyed(path(sequence, kind), body, key, `${kind}-again`), repeated(kind, first)));
  }
}

/**
 * Uses a key for another request than the one that it came with first; nothing may be taken.
 * @param {string} sequence
 * @param {string} key
 */
export function misuseKey(sequence, key) {
  const answer = http.post(path(sequence, 'next?count=2'), null, {
    headers: Object.assign({ 'Idempotency-Key': `"${key}"` }, auth),
    tags: { name: 'misuse' },
    responseCallback: http.expectedStatuses(422),
  });
  check(answer, keyReused);
}

/** @param {Issued[]} items */
function received(items) {
  numbers.add(items.length);
  return items;
}

/**
 * Confirms or abandons one number by its ticket.
 * @param {string} sequence
 * @param {string} kind `confirm` or `abandon`
 * @param {Issued} item
 * @returns {boolean} whether it was accepted
 */
export function settle(sequence, kind, item) {
  const body = JSON.stringify({ ticket: item.ticket });
  const answer = http.post(path(sequence, kind), body, { headers: json, tags: { name: kind } });
  return check(answer, settledOne(kind, item.number));
}

/**
 * Confirms or abandons up to 1,000 numbers in one call.
 * @param {string} sequence
 * @param {string} kind
 * @param {Issued[]} items
 * @returns {boolean} whether all were accepted
 */
export function settleMany(sequence, kind, items) {
  const body = JSON.stringify({ items: items.map((item) => ({ ticket: item.ticket })) });
  const answer = http.post(path(sequence, kind), body, { headers: json, tags: { name: `${kind}-many` } });
  return check(answer, settledMany(kind, items.length));
}

/**
 * Counts whether this VU sees these numbers for the first time. Only where nothing is recycled.
 * @param {Issued[]} items
 */
export function expectNew(items) {
  if (items.length > 0) {
    unique.add(seen.allNew(items.map((item) => item.number)));
  }
}

/**
 * Counts whether none of these numbers was confirmed by this VU before: a confirmed number never comes back.
 * @param {Issued[]} items
 */
export function expectNotConfirmed(items) {
  if (items.length > 0) {
    unique.add(!items.some((item) => settledForGood.has(item.number)));
  }
}

/** @param {Issued[]} items */
export function rememberConfirmed(items) {
  settledForGood.allNew(items.map((item) => item.number));
}

/**
 * Asks what became of the values of this run; nothing may be unaccounted for.
 * @param {Setup} data
 */
export function expectClosed(data) {
  const end = nextValue(data.sequence);
  for (let from = data.from; from < end; from += closureSpan) {
    const to = Math.min(from + closureSpan, end) - 1;
    const url = path(data.sequence, `closure?from=${from}&to=${to}`);
    const answer = http.get(url, { headers: auth, tags: { name: 'closure' }, timeout: '60s' });
    if (!check(answer, closed)) {
      fail(`closure of ${data.sequence}: ${answer.status} ${answer.body}`);
    }
    const body = /** @type {any} */ (answer.json());
    console.log(`${data.sequence} ${from}..${to}: ${JSON.stringify(body.counts)}, unaccounted ${body.unaccounted}`);
  }
}

/**
 * A scenario that sends at a steady rate, whatever the answers take.
 * @param {string} exec
 * @param {number} rate iterations a second
 * @param {string} duration
 * @returns {import('k6/options').Scenario}
 */
export function steady(exec, rate, duration) {
  return {
    executor: 'constant-arrival-rate',
    exec: exec,
    rate: rate,
    timeUnit: '1s',
    duration: duration,
    preAllocatedVUs: idleVus,
    maxVUs: idleVus * 8,
  };
}

/**
 * One VU that takes 64 numbers at once, again and again, so that all of them are seen by one memory.
 * @param {string} duration
 * @returns {import('k6/options').Scenario}
 */
export function watcher(duration) {
  return { executor: 'constant-arrival-rate', exec: 'watch', rate: 5, timeUnit: '1s', duration: duration, preAllocatedVUs: 1, maxVUs: 1 };
}

/**
 * What every run has to keep: no failed call, every check, no number twice, and the offered rate.
 * @param {{[metric: string]: string[]}} more
 * @returns {{[metric: string]: string[]}}
 */
export function thresholds(more) {
  return Object.assign(
    {
      checks: ['rate==1'],
      http_req_failed: ['rate==0'],
      reissue_unique: ['rate==1'],
      dropped_iterations: ['count==0'],
    },
    more,
  );
}

/** Connections of `nextAtOnce`. */
export const batchOptions = { batch: 64, batchPerHost: 64 };
