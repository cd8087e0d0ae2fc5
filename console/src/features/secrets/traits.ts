import type { Schemas } from '../../lib/api.ts';
import type { Secret } from './queries.ts';

/** What a form has of a secret, beside its name and value. */
export interface TraitValues {
  kind: Secret['kind'];
  exposure: Secret['exposure'];
  /** One a line. */
  hosts: string;
  note: string;
}

/** Returns what the API wants of it. */
export function traitsOf({ kind, exposure, hosts, note }: TraitValues) {
  return {
    kind,
    // A file is always in the sandbox.
    exposure: kind === 'file' ? ('sandbox' as const) : exposure,
    allowed_hosts: needsHosts({ kind, exposure }) ? hostsOf(hosts) : [],
    note,
  } satisfies Schemas['UpdateSecretRequest'];
}

export function needsHosts({ kind, exposure }: Pick<TraitValues, 'kind' | 'exposure'>): boolean {
  return kind === 'git_credential' || (kind === 'env' && exposure === 'broker');
}

function hostsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((host) => host !== '');
}

/** The form's name of a field of the API. */
export function traitField(path: string): string {
  return path.startsWith('allowed_hosts') ? 'hosts' : path;
}
