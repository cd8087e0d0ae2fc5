import { useFastImports } from '../src/lib/fast-imports.ts';

// It also avoids vitest's hook, which tells its main process of every import; only a run that watches files needs that.
useFastImports();
