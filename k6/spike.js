// A campaign opens: from RATE to tenfold in two seconds, held for DURATION, and back. Nobody may be refused.
import { ensureSequence, expectClosed, expectNew, next, numberEnv, textEnv, thresholds } from './lib.js';

const rate = numberEnv('RATE', 500);
const vus = numberEnv('VUS', 256);

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: {
    spike: {
      executor: 'ramping-arrival-rate',
      exec: 'spike',
      startRate: rate,
      timeUnit: '1s',
      preAllocatedVUs: vus,
      maxVUs: vus * 4,
      stages: [
        { target: rate, duration: '20s' },
        { target: rate * 10, duration: '2s' },
        { target: rate * 10, duration: textEnv('DURATION', '30s') },
        { target: rate, duration: '2s' },
        { target: rate, duration: '10s' },
      ],
    },
  },
  // The jump itself may cost a refill: the bound is on the whole run, the jump included.
  thresholds: thresholds({ 'http_req_duration{name:next}': [`p(99)<${numberEnv('P99_MS', 20)}`] }),
};

export function setup() {
  return ensureSequence('k6-spike', { recycle: false });
}

/** @param {import('./lib.js').Setup} data */
export function spike(data) {
  const item = next(data.sequence);
  expectNew(item === null ? [] : [item]);
}

/** @param {import('./lib.js').Setup} data */
export function teardown(data) {
  expectClosed(data);
}
