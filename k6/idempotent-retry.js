// Callers that ask again: RATE times a second a number is taken and confirmed under idempotency keys, and in RETRY percent of the
// cases each request is sent up to three times, as by a caller whose answer was lost. Every repeat has to get the first answer.
import {
  ensureSequence, expectClosed, expectNew, misuseKey, nextUnderKey, numberEnv, settleUnderKey, steady, textEnv, thresholds,
} from './lib.js';

const retryPercent = numberEnv('RETRY', 20);
const p99 = numberEnv('KEY_P99_MS', 25);

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: { retry: steady('retry', numberEnv('RATE', 500), textEnv('DURATION', '1m')) },
  thresholds: thresholds({
    reissue_replayed: ['rate==1'],
    'http_req_duration{name:next-key}': [`p(99)<${p99}`],
    'http_req_duration{name:next-again}': [`p(99)<${p99}`],
    'http_req_duration{name:confirm-key}': [`p(99)<${p99}`],
  }),
};

export function setup() {
  return ensureSequence('k6-keys', { recycle: false });
}

/** A key that no other run, VU or iteration has. */
function freshKey() {
  return `${__VU}-${__ITER}-${Date.now()}-${Math.floor(Math.random() * 1e9)}`;
}

/** How often a request is sent again. */
function repeats() {
  return Math.random() * 100 < retryPercent ? 1 + Math.floor(Math.random() * 2) : 0;
}

/** @param {import('./lib.js').Setup} data */
export function retry(data) {
  const key = freshKey();
  const item = nextUnderKey(data.sequence, key, repeats());
  if (item === null) {
    return;
  }
  expectNew([item]);
  // The key of the order serves both calls: it counts for each operation by itself.
  settleUnderKey(data.sequence, 'confirm', item, key, repeats());
  if (__ITER % 100 === 0) {
    misuseKey(data.sequence, key);
  }
}

/** @param {import('./lib.js').Setup} data */
export function teardown(data) {
  expectClosed(data);
}
