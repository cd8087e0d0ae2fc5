import type { SessionSecret } from '../../../features/secrets/public.ts';
import { maskedJson } from '../../../lib/mask/json.ts';
import type { BrokerCredential } from '../../../gateway/session.ts';
import { createMask, type Mask } from '../../../lib/mask/mask.ts';
import { brokerCredentials, gitCredentialFiles } from './brokered-credentials.ts';
import { reservedWords } from './reserved-words.ts';

/** A value to mask, and its name. */
interface NamedValue {
  name: string;
  value: string;
}

/** Recipient of secrets: the agent's sandbox, or a sandbox that only runs a check. */
export type SecretAudience = 'agent' | 'checks';

/** Secrets of one sandbox: values by variable, files by the variable that names their path, and files for git only. */
interface InjectedSecrets {
  readonly variables: Record<string, string>;
  readonly files: Record<string, string>;
  readonly gitFiles: Record<string, string>;
}

const maxOfOneName = 8;

/**
 * A run's secrets, the platform's own credentials for it, and the mask for everything it writes. A replaced value stays
 * masked.
 */
export class RunSecrets {
  readonly #known = new Map<string, string>();
  #secrets: readonly SessionSecret[] = [];
  #brokered: Readonly<Record<SecretAudience, readonly BrokerCredential[]>> = { agent: [], checks: [] };
  #hadSecrets = false;
  #secretCount = 0;
  #mask: Mask | undefined;
  #guard: Mask | undefined;

  /** Masks all values known now; a stream keeps the mask it started with. */
  get mask(): Mask {
    this.#mask ??= createMask(this.#known.keys());
    return this.#mask;
  }

  /** Detects content with a known value, or with one of its lines that is unlikely to occur by chance. */
  get guard(): Mask {
    this.#guard ??= createMask(this.#known.keys(), { lines: 'telling' });
    return this.#guard;
  }

  /** All masked values. */
  get named(): NamedValue[] {
    return [...this.#known].map(([value, name]) => ({ name, value }));
  }

  /** True if the session ever had secrets, so that the work tree may contain one. */
  get hasSecrets(): boolean {
    return this.#hadSecrets;
  }

  /** The number of values of secrets that were ever set; grows with each new one. */
  get secretCount(): number {
    return this.#secretCount;
  }

  /** Sets the session's current secrets. */
  setSecrets(secrets: readonly SessionSecret[]): void {
    this.#secrets = secrets;
    this.#brokered = {
      agent: brokerCredentials(this.forAudience('agent')),
      checks: brokerCredentials(this.forAudience('checks')),
    };
    this.#hadSecrets ||= secrets.length > 0;
    for (const secret of secrets)
      for (const value of maskedParts(secret)) this.#secretCount += this.#add(secret.key, value);
  }

  /** Masks a credential of the platform; of one that changes with every use, the last few values. */
  add(name: string, value: string): void {
    // The scheme, as in `Bearer …`, is not secret.
    this.#add(name, value.replace(/^\w+\s+/, ''));
    const [oldest, ...others] = this.named.filter((known) => known.name === name);
    if (oldest !== undefined && others.length >= maxOfOneName) this.#known.delete(oldest.value);
  }

  /** Masks a secret that is not the session's, but that the sandbox may see. */
  addSecret(name: string, value: string): void {
    this.#hadSecrets = true;
    this.#secretCount += this.#add(name, value);
  }

  /** The secrets to inject into a sandbox. */
  toInject(audience: SecretAudience): InjectedSecrets {
    const entering = this.forAudience(audience).filter(({ exposure }) => exposure === 'sandbox');
    const ofKind = (wanted: SessionSecret['kind']): Record<string, string> =>
      Object.fromEntries(entering.filter(({ kind }) => kind === wanted).map(({ key, value }) => [key, value]));
    return { variables: ofKind('env'), files: ofKind('file'), gitFiles: gitCredentialFiles(entering) };
  }

  /** The session's current secrets for a kind of sandbox. */
  forAudience(audience: SecretAudience): readonly SessionSecret[] {
    return this.#secrets.filter(({ sandboxes }) => sandboxes === 'all' || sandboxes === audience);
  }

  /** Credentials that the gateway adds to requests; the same array until the next turn. */
  brokered(audience: SecretAudience): readonly BrokerCredential[] {
    return this.#brokered[audience];
  }

  /** Masks every string in a JSON value, including field names. */
  masked<T>(value: T): T {
    return maskedJson(value, (text) => this.mask.text(text), reservedWords);
  }

  /** Returns the number of new values. */
  #add(name: string, value: string): number {
    if (this.#known.has(value)) return 0;
    this.#known.set(value, name);
    this.#mask = undefined;
    this.#guard = undefined;
    return 1;
  }
}

/** Returns the value, and its secret part: the password of `user:password`, the content of `header: content`. */
function maskedParts({ kind, exposure, value }: SessionSecret): string[] {
  const isPair = kind === 'git_credential' || exposure === 'broker';
  const at = isPair ? value.indexOf(':') : -1;
  return at < 0 ? [value] : [value, value.slice(at + 1).trim()];
}
