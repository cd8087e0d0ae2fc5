import { AppError } from '../../lib/errors.ts';
import { problemsOfFiles, type BundleFile, type Problem } from './bundle.ts';
import { requireFiles, type Received } from './bundle-input.ts';
import type { Manifest } from './skill-file.ts';

const maxTold = 50;

/**
 * Returns the manifest in SKILL.md. Throws 400 `invalid_request` with the first problem in its message and all in its details.
 */
export async function requireValid(files: readonly BundleFile[], before: readonly Problem[]): Promise<Manifest> {
  const { inspect } = await import('./skill-file.ts');
  // For an unreadable bundle, further problems would only be noise.
  const { manifest, problems } = before.length > 0 ? { manifest: undefined, problems: before } : inspect(files);
  if (manifest !== undefined && problems.length === 0) return manifest;
  throw refusal(problems);
}

/** Throws 400 for a file that no skill can contain. */
export function refuseFile(file: BundleFile): void {
  const problems = problemsOfFiles([file]);
  if (problems.length > 0) throw refusal(problems);
}

function refusal(problems: readonly Problem[]): AppError {
  const [first] = problems;
  return new AppError('invalid_request', first === undefined ? 'The skill is invalid.' : sentenceOf(first), {
    problems: problems.slice(0, maxTold),
  });
}

/** Validates a bundle without storing it. */
export async function validateSkill(received: Received) {
  const files = requireFiles(received);
  const { inspect, inspectNothing, summaryOf } = await import('./skill-file.ts');
  const { manifest, problems, warnings } = received.problems.length > 0 ? inspectNothing() : inspect(files);
  const found = [...received.problems, ...problems];
  const { allowedTools, ...told } = manifest;
  return {
    valid: found.length === 0,
    problems: found.slice(0, maxTold),
    warnings: warnings.slice(0, maxTold),
    ...told,
    allowed_tools: allowedTools,
    ...summaryOf(files),
  };
}

/** Formats a problem: location and message. */
export function sentenceOf({ path, line, message }: Problem): string {
  const place = [path, line === 0 ? '' : `line ${line}`].filter((part) => part !== '').join(', ');
  return place === '' ? message : `${place}: ${message}`;
}
