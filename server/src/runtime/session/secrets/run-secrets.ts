import type { SessionSecret } from '../../../features/secrets/public.ts';
import { maskedJson } from '../../../lib/mask/json.ts';
import type { BrokerCredential } from '../../../gateway/session.ts';
import { createMask, type Mask } from '../../../lib/mask/mask.ts';
import { brokerCredentials, gitCredentialFiles } from './brokered-credentials.ts';
import { reservedWords } from './reserved-words.ts';

/** What must show nowhere: a value and what it is called. */
interface Named {
  name: string;
  value: string;
}

/** A sandbox in which the agent works, or one in which only a check runs: that is others' as much as the session's. */
export type SecretAudience = 'agent' | 'checks';

/** Values by the variable that holds them, or that names the path of their file; and files for git alone. */
interface Entering {
  readonly variables: Record<string, string>;
  readonly files: Record<string, string>;
  readonly gitFiles: Record<string, string>;
}

const maxOfOneName = 8;

/**
 * The secrets of a run, the credentials that the platform itself uses for it, and the one mask that all it writes passes.
 * A value that was replaced meanwhile stays masked.
 */
export class RunSecrets {
  readonly #known = new Map<string, string>();
  #given: readonly SessionSecret[] = [];
  #outside: Readonly<Record<SecretAudience, readonly BrokerCredential[]>> = { agent: [], checks: [] };
  #wereGiven = false;
  #mask: Mask | undefined;
  #guard: Mask | undefined;

  /** Of all that is known now; a stream goes on with the one that it began with. */
  get mask(): Mask {
    this.#mask ??= createMask(this.#known.keys());
    return this.#mask;
  }

  /** Whether content holds one of the values, wholly or by a line that nobody writes by chance. */
  get guard(): Mask {
    this.#guard ??= createMask(this.#known.keys(), { lines: 'telling' });
    return this.#guard;
  }

  /** Everything that is masked, the secrets first. */
  get named(): Named[] {
    return [...this.#known].map(([value, name]) => ({ name, value }));
  }

  /** Whether anything is known that may be in a work tree: the platform's own credentials are in none. */
  get areGiven(): boolean {
    return this.#wereGiven;
  }

  /** Takes what the session has from now on. */
  use(secrets: readonly SessionSecret[]): void {
    this.#given = secrets;
    this.#outside = { agent: brokerCredentials(this.given('agent')), checks: brokerCredentials(this.given('checks')) };
    this.#wereGiven ||= secrets.length > 0;
    for (const secret of secrets) for (const value of shownParts(secret)) this.#add(secret.key, value);
  }

  /** Masks a credential of the platform's own; of those that are made anew for every use, the last few. */
  add(name: string, value: string): void {
    // Of `Bearer …` the scheme is no secret.
    this.#add(name, value.replace(/^\w+\s+/, ''));
    const [oldest, ...others] = this.named.filter((known) => known.name === name);
    if (oldest !== undefined && others.length >= maxOfOneName) this.#known.delete(oldest.value);
  }

  /** Masks a secret that is used beside the session's own, which the sandbox may come to know. */
  addSecret(name: string, value: string): void {
    this.#wereGiven = true;
    this.#add(name, value);
  }

  /** What comes into a sandbox. */
  entering(audience: SecretAudience): Entering {
    const entering = this.given(audience).filter(({ exposure }) => exposure === 'sandbox');
    const ofKind = (wanted: SessionSecret['kind']): Record<string, string> =>
      Object.fromEntries(entering.filter(({ kind }) => kind === wanted).map(({ key, value }) => [key, value]));
    return { variables: ofKind('env'), files: ofKind('file'), gitFiles: gitCredentialFiles(entering) };
  }

  /** What the session has now for such a sandbox. */
  given(audience: SecretAudience): readonly SessionSecret[] {
    return this.#given.filter(({ sandboxes }) => sandboxes === 'all' || sandboxes === audience);
  }

  /** What the gateway adds to requests, and no sandbox holds; the same array until the next turn. */
  brokered(audience: SecretAudience): readonly BrokerCredential[] {
    return this.#outside[audience];
  }

  /** A value as JSON takes it, with every string in it masked, names of fields too. */
  masked<T>(value: T): T {
    return maskedJson(value, (text) => this.mask.text(text), reservedWords);
  }

  #add(name: string, value: string): void {
    if (this.#known.has(value)) return;
    this.#known.set(value, name);
    this.#mask = undefined;
    this.#guard = undefined;
  }
}

/** The value, and alone what of it is the secret: the password of `user:password`, the content of `header: content`. */
function shownParts({ kind, exposure, value }: SessionSecret): string[] {
  const isPair = kind === 'git_credential' || exposure === 'broker';
  const at = isPair ? value.indexOf(':') : -1;
  return at < 0 ? [value] : [value, value.slice(at + 1).trim()];
}
