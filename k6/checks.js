// What an answer of Reissue has to look like. Plain JavaScript without imports: the k6 scripts and check/ share it.
// A response is anything with `status`, `body` (a string) and `headers`.

/**
 * @typedef {{status: number, body?: any, headers?: any}} Answer
 * @typedef {{number: string, value: string, ticket: string}} Issued
 * @typedef {{[name: string]: (answer: Answer) => boolean}} Checks
 */

/**
 * The JSON of an answer, null where it is none.
 * @param {Answer} answer
 * @returns {any}
 */
export function json(answer) {
  try {
    return JSON.parse(answer.body);
  } catch (e) {
    return null;
  }
}

/** @param {any} item */
function isIssued(item) {
  return (
    item !== null &&
    typeof item === 'object' &&
    typeof item.number === 'string' &&
    item.number.length > 0 &&
    /^[0-9]{1,19}$/.test(item.value) &&
    /^[A-Za-z0-9_-]{44}$/.test(item.ticket)
  );
}

/**
 * The numbers in an answer to `next`, none where it was refused.
 * @param {Answer} answer
 * @returns {Issued[]}
 */
export function issued(answer) {
  if (answer.status !== 200) {
    return [];
  }
  const body = json(answer);
  if (body === null) {
    return [];
  }
  return Array.isArray(body.items) ? body.items : [body];
}

/** @type {Checks} */
export const nextOne = {
  'next: 200': (r) => r.status === 200,
  'next: number, value and ticket': (r) => r.status === 200 && isIssued(json(r)),
};

/**
 * @param {number} count
 * @returns {Checks}
 */
export function nextMany(count) {
  return {
    'next: 200': (r) => r.status === 200,
    'next: all or nothing': (r) => issued(r).length === count,
    'next: number, value and ticket': (r) => issued(r).length > 0 && issued(r).every(isIssued),
    'next: distinct': (r) => new Set(issued(r).map((item) => item.value)).size === issued(r).length,
  };
}

/**
 * @param {string} kind `confirm` or `abandon`
 * @returns {string[]} the outcomes with which the call got what it wanted
 */
function accepted(kind) {
  return kind === 'confirm' ? ['confirmed'] : ['abandoned', 'already-abandoned'];
}

/**
 * @param {string} kind
 * @param {string} number the number that was settled
 * @returns {Checks}
 */
export function settledOne(kind, number) {
  const checks = /** @type {Checks} */ ({});
  checks[`${kind}: 200`] = (r) => r.status === 200;
  checks[`${kind}: names the number and its outcome`] = (r) => {
    const body = json(r);
    return body !== null && body.number === number && accepted(kind).indexOf(body.outcome) >= 0;
  };
  return checks;
}

/**
 * @param {string} kind
 * @param {number} count how many items were sent
 * @returns {Checks}
 */
export function settledMany(kind, count) {
  const checks = /** @type {Checks} */ ({});
  checks[`${kind}: 200`] = (r) => r.status === 200;
  checks[`${kind}: one outcome an item`] = (r) => {
    const body = json(r);
    return (
      body !== null &&
      Array.isArray(body.items) &&
      body.items.length === count &&
      body.items.every((/** @type {any} */ item) => accepted(kind).indexOf(item.outcome) >= 0)
    );
  };
  return checks;
}

/**
 * The value of a header, whatever the case of its name.
 * @param {Answer} answer
 * @param {string} name in lower case
 * @returns {string | undefined}
 */
export function header(answer, name) {
  const headers = answer.headers || {};
  const found = Object.keys(headers).filter((key) => key.toLowerCase() === name)[0];
  return found === undefined ? undefined : String(headers[found]);
}

/**
 * The answer to a request that was sent before with the same Idempotency-Key.
 * @param {string} call
 * @param {Answer} first
 * @returns {Checks}
 */
export function repeated(call, first) {
  const checks = /** @type {Checks} */ ({});
  checks[`${call} again: the same status and body`] = (r) => r.status === first.status && r.body === first.body;
  checks[`${call} again: marked as a repeat`] = (r) => header(r, 'idempotency-replayed') === 'true';
  return checks;
}

/** @type {Checks} */
export const keyReused = {
  'another request with the key: 422': (r) => r.status === 422,
  'another request with the key: says so': (r) => {
    const body = json(r);
    return body !== null && body.code === 'idempotency-key-reused';
  },
};

/** @type {Checks} */
export const created = {
  'create: 201, or 200 where it was there': (r) => r.status === 201 || r.status === 200,
};

/** @type {Checks} */
export const closed = {
  'closure: 200': (r) => r.status === 200,
  'closure: counts, gaps and nothing unaccounted': (r) => {
    const body = json(r);
    return (
      body !== null &&
      typeof body.counts === 'object' &&
      Array.isArray(body.gaps) &&
      Number(body.unaccounted) === 0
    );
  },
};

/** Remembers what it was shown, up to a limit; beyond that it checks against what it has. */
export class Seen {
  /** @param {number} limit how many to remember */
  constructor(limit) {
    this.limit = limit;
    this.values = /** @type {Set<string>} */ (new Set());
  }

  /**
   * Tells whether none of these was shown before, and remembers them.
   * @param {string[]} values
   */
  allNew(values) {
    const fresh = !values.some((value) => this.values.has(value));
    for (let i = 0; i < values.length && this.values.size < this.limit; i++) {
      this.values.add(values[i]);
    }
    return fresh;
  }

  /** @param {string} value */
  has(value) {
    return this.values.has(value);
  }
}
