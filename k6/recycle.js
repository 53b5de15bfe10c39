// A storm of abandons: STORM times a second 1,000 numbers are taken and abandoned, and come back soon. Beside it callers go on
// taking and confirming single numbers at RATE, and must not notice. Default: 20,000 abandons a second.
import {
  ensureSequence, expectClosed, expectNotConfirmed, next, nextBatch, numberEnv, pairs, rememberConfirmed, settle, settleMany, steady, textEnv, thresholds,
} from './lib.js';

const duration = textEnv('DURATION', '1m');
const count = numberEnv('COUNT', 1000);

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: {
    storm: steady('storm', numberEnv('STORM', 20), duration),
    callers: steady('callers', numberEnv('RATE', 500), duration),
  },
  thresholds: thresholds({ 'http_req_duration{name:next}': [`p(99)<${numberEnv('P99_MS', 2.4)}`] }),
};

export function setup() {
  return ensureSequence('k6-recycle', { confirmTimeoutMs: 4000, safetyWindowMs: 6000, replayCap: 1000 });
}

/** @param {import('./lib.js').Setup} data */
export function storm(data) {
  const items = nextBatch(data.sequence, count);
  expectNotConfirmed(items);
  if (items.length > 0) {
    settleMany(data.sequence, 'abandon', items);
  }
}

/** @param {import('./lib.js').Setup} data */
export function callers(data) {
  const item = next(data.sequence);
  if (item === null) {
    return;
  }
  expectNotConfirmed([item]);
  if (settle(data.sequence, 'confirm', item)) {
    rememberConfirmed([item]);
    pairs.add(1);
  }
}

/** @param {import('./lib.js').Setup} data */
export function teardown(data) {
  expectClosed(data);
}
