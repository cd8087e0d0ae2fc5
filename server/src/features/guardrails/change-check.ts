import { pace } from '../../lib/pace.ts';
import { matchesAny } from '../../lib/patterns.ts';
import { protects } from './path-globs.ts';
import type { Finding, Rules } from './rules.ts';

/** A change to push. */
export interface ProposedChange {
  /** `''` if nothing is pushed. */
  branch: string;
  /** All paths that are different, before or after it. */
  paths: readonly string[];
  changedFiles: number;
  changedLines: number;
}

/** Returns what a change violates, apart from its content. */
export async function checkChange(rules: Rules, change: ProposedChange): Promise<Finding[]> {
  const { branch, changedFiles, changedLines } = change;
  const findings: Finding[] = [];
  const block = (finding: Omit<Finding, 'stage' | 'action'>): void => {
    findings.push({ ...finding, stage: 'push', action: 'blocked' });
  };
  if (branch !== '' && matchesAny(rules.protected_branches, branch))
    block({
      rule: 'protected_branches',
      message: `The branch ${branch} is protected: sessions may not push to it.`,
      items: [branch],
    });
  const allowedFiles = rules.max_changed_files;
  if (allowedFiles > 0 && changedFiles > allowedFiles)
    block({
      rule: 'max_changed_files',
      message: `The change has ${changedFiles} files; at most ${allowedFiles} are allowed. Make a smaller change.`,
      used: changedFiles,
      allowed: allowedFiles,
    });
  const allowedLines = rules.max_changed_lines;
  if (allowedLines > 0 && changedLines > allowedLines)
    block({
      rule: 'max_changed_lines',
      message: `The change has ${changedLines} lines; at most ${allowedLines} are allowed. Make a smaller change.`,
      used: changedLines,
      allowed: allowedLines,
    });
  const touched = await protectedPaths(rules, change.paths);
  if (touched.length > 0)
    block({
      rule: 'protected_paths',
      message: `Protected files may not be changed: ${listed(touched)}. Restore them.`,
      items: touched,
    });
  return findings;
}

/** Returns the violation of a file that an agent wants to write; undefined if it may. */
export async function checkFile(rules: Rules, path: string): Promise<Finding | undefined> {
  const items = await protectedPaths(rules, [path]);
  if (items.length === 0) return undefined;
  const message = `The file ${path} is protected and may not be changed. Solve the task without it, or leave this step to the user.`;
  return { rule: 'protected_paths', stage: 'tool_call', action: 'blocked', message, items };
}

async function protectedPaths(rules: Rules, paths: readonly string[]): Promise<string[]> {
  if (rules.protected_paths.length === 0) return [];
  const found: string[] = [];
  for (const path of paths) {
    await pace();
    if (rules.protected_paths.some((glob) => protects(glob, path))) found.push(path);
  }
  return found;
}

const shownItems = 10;

/** Lists items for a message. */
export function listed(items: readonly string[]): string {
  const more = items.length - shownItems;
  return `${items.slice(0, shownItems).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
