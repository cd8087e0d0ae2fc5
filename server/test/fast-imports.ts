import { registerHooks } from 'node:module';

const formats = new Map([
  ['ts', 'module-typescript'],
  ['mjs', 'module'],
]);

// Vitest's hook tells its main process of every import, which only a run that watches files needs. Here imports that name
// their file are resolved before that hook, and without reading the file system.
registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true };
    const format = formats.get(/^\.\.?\/.*\.(\w+)$/.exec(specifier)?.[1] ?? '');
    if (format === undefined || context.parentURL === undefined) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true };
  },
});
