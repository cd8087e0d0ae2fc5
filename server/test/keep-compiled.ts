import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

// Node writes what it compiled to its cache when a process exits, but vitest ends its processes with a signal.
afterAll(() => flushCompileCache());
