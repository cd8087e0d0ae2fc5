import type { HostCheck } from '../../adapters/source-control/collaboration.ts';

const errorLine = /error|fail|exception|assert|panic|fatal|not ok|✗|✕|×/i;
const maxLength = 300;

/** Identifies a failure over commits: the check and its first line with an error, without numbers and directories. */
export function failureFingerprint(
  { name, description }: Pick<HostCheck, 'name' | 'description'>,
  log: string,
): string {
  const lines = `${description}\n${log}`.split('\n').map((line) => line.trim());
  const line = lines.find((one) => errorLine.test(one)) ?? lines.find((one) => one !== '') ?? '';
  const told = line
    .slice(0, 2_000)
    .replaceAll(/\S+/g, (word) => word.slice(word.lastIndexOf('/', word.length - 2) + 1))
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, '#')
    .replaceAll(/\d+/g, '#');
  return `${name}: ${told}`.slice(0, maxLength);
}
