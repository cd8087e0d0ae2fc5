import { useFastImports } from './lib/fast-imports.ts';

// `npm run admin`.
useFastImports();
await import('./app/admin-command.ts');
