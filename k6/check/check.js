// Runs the k6 scripts without k6, a few times each, against a running service: the same requests, the same checks.
//
//   BASE_URL=http://127.0.0.1:8080 node check/check.js [script.js ...]
//
// It shows that scripts and service fit together; it measures nothing. ITERATIONS (default 200) is how often each scenario of
// each script runs. Ends with a line of counts, and with status 1 where a check failed.
import { readdirSync } from 'node:fs';
import { register } from 'node:module';

register('./loader.js', import.meta.url);
// So many abandons that a few iterations meet some.
globalThis.__ENV = { ABANDON: '30', ...process.env };
globalThis.__VU = 1;
globalThis.__ITER = 0;

const { metrics, results } = await import('./k6.js');
const iterations = Number(process.env.ITERATIONS ?? 200);
const folder = new URL('..', import.meta.url);
const libraries = ['lib.js', 'checks.js'];
const scripts =
  process.argv.length > 2
    ? process.argv.slice(2)
    : readdirSync(folder).filter((name) => name.endsWith('.js') && !libraries.includes(name));
// Of the thresholds, the one that is not about speed.
const counted = { reissue_unique: 'no number twice' };

let passed = 0;
let failed = 0;

function report(script, name, ok, detail) {
  ok ? passed++ : failed++;
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${script}: ${name}${detail ? ` (${detail})` : ''}`);
}

for (const name of scripts) {
  results.clear();
  metrics.forEach((metric) => (metric.values.length = 0));
  try {
    await run(await import(new URL(name, folder).href));
    report(name, 'ran to its end', true);
  } catch (error) {
    report(name, 'ran to its end', false, String(error));
  }
  for (const [check, { passed: held, failed: broken, example }] of results) {
    report(name, check, broken === 0, broken === 0 ? `${held} times` : `${broken} of ${held + broken} failed, the first: ${example}`);
  }
  for (const [metric, meaning] of Object.entries(counted)) {
    const values = metrics.get(metric).values;
    report(name, meaning, values.every((value) => value === 1) && values.length > 0, `${values.length} times`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function run(script) {
  const data = script.setup();
  for (const scenario of Object.values(script.options.scenarios)) {
    const body = script[scenario.exec];
    for (let i = 0; i < iterations; i++) {
      globalThis.__ITER = i;
      body(data);
    }
  }
  script.teardown(data);
}
