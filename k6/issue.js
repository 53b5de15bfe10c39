// Steady issuing: RATE numbers a second, one a call.
// The p99 target, 2 ms, is meant for half of the highest rate that the machine can do.
import { batchOptions, ensureSequence, expectClosed, expectNew, next, nextAtOnce, numberEnv, steady, textEnv, thresholds, watcher } from './lib.js';

const duration = textEnv('DURATION', '1m');

/** @type {import('k6/options').Options} */
export const options = Object.assign({}, batchOptions, {
  scenarios: {
    issue: steady('issue', numberEnv('RATE', 2000), duration),
    watch: watcher(duration),
  },
  thresholds: thresholds({ 'http_req_duration{name:next}': [`p(99)<${numberEnv('P99_MS', 2)}`] }),
});

export function setup() {
  return ensureSequence('k6-issue', { recycle: false });
}

/** @param {import('./lib.js').Setup} data */
export function issue(data) {
  const item = next(data.sequence);
  expectNew(item === null ? [] : [item]);
}

/** @param {import('./lib.js').Setup} data */
export function watch(data) {
  expectNew(nextAtOnce(data.sequence, 64));
}

/** @param {import('./lib.js').Setup} data */
export function teardown(data) {
  expectClosed(data);
}
