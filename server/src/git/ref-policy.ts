import { isBranchName, zeroId } from './names.ts';
import type { PushCommand } from './pkt-line.ts';

export interface PushRule {
  /** The one ref that may change, e.g. `refs/heads/guildhall/ses_…`. */
  allowedRef: string;
  /** When set, the only commit it may be set to. */
  allowedCommit?: string;
}

export type PushVerdict = { allowed: true } | { allowed: false; reason: string };

/**
 * Whether every command of a push keeps the rule: only the allowed ref, once, never a deletion, never a tag. The empty list is
 * allowed: it is the probe (`0000`) that git sends before a large push to learn whether it may.
 */
export function checkPush(commands: readonly PushCommand[], rule: PushRule): PushVerdict {
  for (const command of commands) {
    if (command.ref !== rule.allowedRef) return refuse(`only ${rule.allowedRef} may be pushed, not ${command.ref}`);
    if (/^0+$/.test(command.new)) return refuse(`${command.ref} may not be deleted`);
    if (rule.allowedCommit !== undefined && command.new !== rule.allowedCommit) {
      return refuse(`${command.ref} may only be set to ${rule.allowedCommit}`);
    }
  }
  return commands.length > 1 ? refuse(`${rule.allowedRef} may be named once in a push`) : { allowed: true };
}

function refuse(reason: string): PushVerdict {
  return { allowed: false, reason };
}

/** Why nobody may push to a ref; undefined when it is one that may be. Whatever is there may be deleted. */
export function refusalOfRef({ ref, new: next }: PushCommand): string | undefined {
  if (next === zeroId) return undefined;
  const name = /^refs\/(?:heads|tags|notes)\/(.*)$/s.exec(ref)?.[1];
  if (name === undefined)
    return `${ref} is no branch, tag or note: push to refs/heads/, refs/tags/ or refs/notes/ alone`;
  return isBranchName(name) ? undefined : `${ref} is no valid name of a branch, tag or note`;
}
