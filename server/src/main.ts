import { useFastImports } from './lib/fast-imports.ts';

// `npm start`.
useFastImports();
await import('./app/start-command.ts');
