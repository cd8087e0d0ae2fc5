import { afterAll } from 'vitest';
import { processorTime } from './support/processor-time.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of the file, in milliseconds: of its process, and of the programs that it started and that ended. */
    processorMs?: number;
  }
}

// It was registered first, so it runs last, when the file has stopped its programs.
// oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures that a hook uses from its first parameter
afterAll(({}, { file }) => {
  file.meta.processorMs = processorTime();
});
