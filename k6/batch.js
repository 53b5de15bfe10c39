// Many numbers a call: RATE calls a second for COUNT numbers each.
// The target is 2,000,000 numbers a second from a server on one core: 20,000 calls for 100. k6 itself needs many cores for
// that; NUMBERS_PER_S sets what this run has to reach (default: 95 % of what it asks for).
import { batchOptions, ensureSequence, expectClosed, expectNew, nextBatch, numberEnv, steady, textEnv, thresholds } from './lib.js';

const count = numberEnv('COUNT', 100);
const rate = numberEnv('RATE', 500);

/** @type {import('k6/options').Options} */
export const options = Object.assign({}, batchOptions, {
  scenarios: { batch: steady('batch', rate, textEnv('DURATION', '1m')) },
  thresholds: thresholds({
    'http_req_duration{name:next-many}': [`p(99)<${numberEnv('P99_MS', 5)}`],
    reissue_numbers: [`rate>=${numberEnv('NUMBERS_PER_S', 0.95 * rate * count)}`],
  }),
});

export function setup() {
  return ensureSequence('k6-batch', { recycle: false, batchSize: 10000 });
}

/** @param {import('./lib.js').Setup} data */
export function batch(data) {
  expectNew(nextBatch(data.sequence, count));
}

/** @param {import('./lib.js').Setup} data */
export function teardown(data) {
  expectClosed(data);
}
