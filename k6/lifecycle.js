// The whole life: RATE times a second a number is taken and then confirmed, or abandoned in ABANDON percent of the cases:
// 0.3 is a calm day, 6 a campaign, 30 a disaster. Abandoned numbers come back after their window.
import {
  ensureSequence, expectClosed, expectNotConfirmed, lifetime, next, numberEnv, pairs, rememberConfirmed, settle, steady, textEnv, thresholds,
} from './lib.js';

const abandonPercent = numberEnv('ABANDON', 0.3);
const rate = numberEnv('RATE', 1000);

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: { lifecycle: steady('lifecycle', rate, textEnv('DURATION', '1m')) },
  thresholds: thresholds({
    // With abandons and recycling under way the p99 may be 1.2 times what it is without.
    'http_req_duration{name:next}': [`p(99)<${numberEnv('P99_MS', 2.4)}`],
    'http_req_duration{name:confirm}': [`p(99)<${numberEnv('CONFIRM_P99_MS', 25)}`],
  }),
};

export function setup() {
  return ensureSequence('k6-lifecycle', { confirmTimeoutMs: 10000, safetyWindowMs: 15000, replayCap: 1000 });
}

/** @param {import('./lib.js').Setup} data */
export function lifecycle(data) {
  const start = Date.now();
  const item = next(data.sequence);
  if (item === null) {
    return;
  }
  expectNotConfirmed([item]);
  if (Math.random() * 100 < abandonPercent) {
    settle(data.sequence, 'abandon', item);
  } else if (settle(data.sequence, 'confirm', item)) {
    rememberConfirmed([item]);
    pairs.add(1);
    lifetime.add(Date.now() - start);
  }
}

/** @param {import('./lib.js').Setup} data */
export function teardown(data) {
  expectClosed(data);
}
