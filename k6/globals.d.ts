/** The part of k6's console that the scripts use; k6's own types leave it to the DOM's. */
declare const console: { log(...message: unknown[]): void };
