import type { DiffFile } from './diff.ts';

const testFile =
  /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[a-z]{1,5}$|(?:^|\/)test_[^/]{1,200}$|_test\.[a-z]{1,5}$/;

/** Returns the tests that existed before and were changed, renamed or deleted: a check that passes may owe it to them. */
export function alteredTests<File extends Pick<DiffFile, 'path' | 'old_path' | 'status'>>(
  files: readonly File[],
): File[] {
  return files.filter(
    ({ path, old_path: before, status }) => status !== 'added' && testFile.test(before === '' ? path : before),
  );
}
