import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Made by `scripts/bundle-dependencies.js`. */
const bundleDirectory = new URL('../../../node_modules/.cache/bundles/', import.meta.url);
const formats = new Map([
  ['ts', 'module-typescript'],
  ['mjs', 'module'],
]);

/**
 * Halves the time in which a process loads the server, for imports after this call: imports that name their file are
 * resolved without reading the file system, and dependencies of hundreds of modules are loaded from bundles. Without
 * bundles, Node loads the packages themselves.
 */
export function useFastImports(): void {
  const bundles = readBundles();
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true };
      const { parentURL } = context;
      // A package may need another version of a dependency than the server.
      if (parentURL === undefined || parentURL.includes('/node_modules/')) return next(specifier, context);
      const bundle = bundles.get(specifier);
      if (bundle !== undefined) {
        return { url: new URL(bundle, bundleDirectory).href, format: 'module', shortCircuit: true };
      }
      const format = formats.get(/^\.\.?\/.*\.(\w+)$/.exec(specifier)?.[1] ?? '');
      if (format === undefined) return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    },
  });
}

/** Returns the bundle of each import: `kysely` is in `kysely.mjs`. */
function readBundles(): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(new URL('manifest.json', bundleDirectory), 'utf8')).files));
  } catch {
    return new Map();
  }
}
