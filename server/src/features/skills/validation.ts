import { AppError } from '../../lib/errors.ts';
import { problemsOfFiles, type BundleFile, type Problem } from './bundle.ts';
import { requireFiles, type Received } from './bundle-input.ts';
import type { Manifest } from './skill-file.ts';

const maxTold = 50;

/** What SKILL.md says. Throws 400 `invalid_request` that names the first problem, with all of them in its details. */
export async function requireValid(files: readonly BundleFile[], before: readonly Problem[]): Promise<Manifest> {
  const { inspect } = await import('./skill-file.ts');
  // A bundle that could not even be read has no other problems worth telling.
  const { manifest, problems } = before.length > 0 ? { manifest: undefined, problems: before } : inspect(files);
  if (manifest !== undefined && problems.length === 0) return manifest;
  throw refusal(problems);
}

/** Throws 400 for a file that no skill can have, whatever else is in it. */
export function refuseFile(file: BundleFile): void {
  const problems = problemsOfFiles([file]);
  if (problems.length > 0) throw refusal(problems);
}

function refusal(problems: readonly Problem[]): AppError {
  const [first] = problems;
  return new AppError('invalid_request', first === undefined ? 'The skill is not valid.' : sentenceOf(first), {
    problems: problems.slice(0, maxTold),
  });
}

/** What would come of a bundle, without making anything of it. */
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

/** A problem for people: where, and what. */
export function sentenceOf({ path, line, message }: Problem): string {
  const place = [path, line === 0 ? '' : `line ${line}`].filter((part) => part !== '').join(', ');
  return place === '' ? message : `${place}: ${message}`;
}
