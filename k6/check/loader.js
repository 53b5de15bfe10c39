// Lets `import 'k6'` and its parts find the stand-in.
const standIn = new URL('./k6.js', import.meta.url).href;

export async function resolve(specifier, context, next) {
  return specifier === 'k6' || specifier.startsWith('k6/') ? { url: standIn, shortCircuit: true } : next(specifier, context);
}
