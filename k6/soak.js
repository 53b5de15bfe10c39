// Hours of an ordinary day: next, and confirm or abandon (6 %) of most numbers; a few are forgotten and time out.
// Watch the service's memory and the sizes of its tables beside it.
import { ensureSequence, expectClosed, expectNotConfirmed, next, numberEnv, pairs, rememberConfirmed, settle, steady, textEnv, thresholds } from './lib.js';

const abandonPercent = numberEnv('ABANDON', 6);
const forgetPercent = numberEnv('FORGET', 0.5);

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: { soak: steady('soak', numberEnv('RATE', 300), textEnv('DURATION', '2h')) },
  thresholds: thresholds({ 'http_req_duration{name:next}': [`p(99)<${numberEnv('P99_MS', 2.4)}`] }),
};

export function setup() {
  return ensureSequence('k6-soak', { confirmTimeoutMs: 30000, safetyWindowMs: 60000, replayCap: 1000 });
}

/** @param {import('./lib.js').Setup} data */
export function soak(data) {
  const item = next(data.sequence);
  if (item === null) {
    return;
  }
  expectNotConfirmed([item]);
  const fate = Math.random() * 100;
  if (fate < forgetPercent) {
    return;
  }
  if (fate < forgetPercent + abandonPercent) {
    settle(data.sequence, 'abandon', item);
  } else if (settle(data.sequence, 'confirm', item)) {
    rememberConfirmed([item]);
    pairs.add(1);
  }
}

/** @param {import('./lib.js').Setup} data */
export function teardown(data) {
  expectClosed(data);
}
