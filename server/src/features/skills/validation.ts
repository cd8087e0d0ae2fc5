import { FieldError } from '../../lib/field-error.ts';
import { issuesOfFiles, type BundleFile, type BundleIssue } from './bundle.ts';
import { requireFiles, type Received } from './bundle-input.ts';
import type { Manifest } from './skill-file.ts';

const maxTold = 50;

/**
 * Returns the manifest in SKILL.md. Throws 400 `invalid_request` with the first problem in its message and all in its details.
 */
export async function requireValid(
  files: readonly BundleFile[],
  before: readonly BundleIssue[],
  place: string,
): Promise<Manifest> {
  const { inspect } = await import('./skill-file.ts');
  // For an unreadable bundle, further issues would only be noise.
  const { manifest, issues } = before.length > 0 ? { manifest: undefined, issues: before } : inspect(files);
  if (manifest !== undefined && issues.length === 0) return manifest;
  throw refusal(place, issues);
}

/** Throws 400 for a file that no skill can contain. */
export function refuseFile(file: BundleFile): void {
  const issues = issuesOfFiles([file]);
  if (issues.length > 0) throw refusal('', issues);
}

/** Creates the error for a bundle; `place` is its field in the request. */
function refusal(place: string, issues: readonly BundleIssue[]): FieldError {
  return new FieldError(
    issues.map(({ file, line, message }) => ({
      path: place,
      message: `: ${sentenceOf({ file, line, message })}`,
      file,
      line,
    })),
  );
}

/** Validates a bundle without storing it. */
export async function validateSkill(received: Received) {
  const files = requireFiles(received);
  const { inspect, emptyVerdict, summaryOf } = await import('./skill-file.ts');
  const { manifest, issues, warnings } = received.issues.length > 0 ? emptyVerdict() : inspect(files);
  const found = [...received.issues, ...issues];
  const { allowedTools, ...told } = manifest;
  return {
    valid: found.length === 0,
    issues: found.slice(0, maxTold),
    warnings: warnings.slice(0, maxTold),
    ...told,
    allowed_tools: allowedTools,
    ...summaryOf(files),
  };
}

/** Formats an issue: location and message. */
export function sentenceOf({ file, line, message }: BundleIssue): string {
  const place = [file, line === 0 ? '' : `line ${line}`].filter((part) => part !== '').join(', ');
  return place === '' ? message : `${place}: ${message}`;
}
