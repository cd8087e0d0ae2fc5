import { isBranchName, zeroId } from './names.ts';
import type { PushCommand } from './pkt-line.ts';

export interface PushRule {
  /** The only ref that may change, e.g. `refs/heads/guildhall/ses_…`. */
  allowedRef: string;
  /** If set, the only commit that it may be set to. */
  allowedCommit?: string;
}

export type PushVerdict = { allowed: true } | { allowed: false; reason: string };

/**
 * Checks a push's commands against a rule: only the allowed ref, once, no deletion, no tag. Allows the empty list: the probe
 * (`0000`) that git sends before a large push.
 */
export function checkPush(commands: readonly PushCommand[], rule: PushRule): PushVerdict {
  for (const command of commands) {
    if (command.ref !== rule.allowedRef)
      return refuse(`this session may push only ${rule.allowedRef}, not ${command.ref}`);
    if (/^0+$/.test(command.new)) return refuse(`${command.ref} must not be deleted`);
    if (rule.allowedCommit !== undefined && command.new !== rule.allowedCommit) {
      return refuse(`${command.ref} may only be set to ${rule.allowedCommit}`);
    }
  }
  return commands.length > 1 ? refuse(`a push may contain ${rule.allowedRef} only once`) : { allowed: true };
}

function refuse(reason: string): PushVerdict {
  return { allowed: false, reason };
}

/** Returns the reason why a ref must not be pushed; undefined if it may be. Any existing ref may be deleted. */
export function refusalOfRef({ ref, new: next }: PushCommand): string | undefined {
  if (next === zeroId) return undefined;
  const name = /^refs\/(?:heads|tags|notes)\/(.*)$/s.exec(ref)?.[1];
  if (name === undefined)
    return `${ref} is not a branch, tag or note; push only to refs/heads/, refs/tags/ or refs/notes/`;
  return isBranchName(name) ? undefined : `${ref} is not a valid name of a branch, tag or note`;
}
