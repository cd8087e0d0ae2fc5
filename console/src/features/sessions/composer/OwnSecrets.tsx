import { Plus, X } from 'lucide-react';
import { Button } from '../../../ui/Button.tsx';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { hasHosts, isWay, newSecret, ways, type OwnSecret } from './own-secrets.ts';

interface Props {
  secrets: readonly OwnSecret[];
  change: (secrets: OwnSecret[]) => void;
  problemOf: (path: string) => string | undefined;
}

const most = 100;

/** Secrets for this session only. A draft does not keep them. */
export function OwnSecrets({ secrets, change, problemOf }: Props) {
  const replace = (at: number, part: Partial<OwnSecret>) =>
    change(secrets.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-1 font-medium">Secrets for this session only</legend>
      {secrets.map((secret, at) => (
        <SecretRow
          // A row has no identity besides its place.
          key={at}
          number={at + 1}
          secret={secret}
          problemOf={(name) => problemOf(`/session_secrets/${at}${name}`)}
          change={(part) => replace(at, part)}
          remove={() => change(secrets.filter((_, index) => index !== at))}
        />
      ))}
      {secrets.length < most && (
        <p>
          <Button onClick={() => change([...secrets, newSecret])}>
            <Plus size={16} strokeWidth={1.5} aria-hidden />
            Add a secret
          </Button>
        </p>
      )}
      {secrets.length > 0 && (
        <p className="text-meta text-ink-3">They go to this session alone, and are gone if you leave this page.</p>
      )}
    </fieldset>
  );
}

interface RowProps {
  number: number;
  secret: OwnSecret;
  problemOf: (name: string) => string | undefined;
  change: (part: Partial<OwnSecret>) => void;
  remove: () => void;
}

function SecretRow({ number, secret, problemOf, change, remove }: RowProps) {
  return (
    <div
      role="group"
      aria-label={`Secret ${number}`}
      className="grid items-start gap-3 border-b border-line pb-3 sm:grid-cols-2"
    >
      <Field label="Name" problem={problemOf('/key')}>
        {(attributes) => (
          <input
            {...attributes}
            value={secret.key}
            autoComplete="off"
            maxLength={256}
            placeholder="API_TOKEN"
            onChange={({ target }) => change({ key: target.value })}
            className={`${fieldClass} font-mono`}
          />
        )}
      </Field>
      <Field label="How it gets it" problem={problemOf('/kind') ?? problemOf('/exposure')}>
        {(attributes) => (
          <select
            {...attributes}
            value={secret.way}
            onChange={({ target: { value } }) => isWay(value) && change({ way: value })}
            className={fieldClass}
          >
            {ways.map(([way, word]) => (
              <option key={way} value={way}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Value" problem={problemOf('/value')}>
        {(attributes) => (
          // No password field: a browser would offer to keep it.
          <textarea
            {...attributes}
            rows={1}
            value={secret.value}
            autoComplete="off"
            spellCheck={false}
            maxLength={16_384}
            onChange={({ target }) => change({ value: target.value })}
            className={`${fieldClass} py-1 font-mono [-webkit-text-security:disc]`}
          />
        )}
      </Field>
      {hasHosts(secret) && (
        <Field label="Allowed hosts" problem={problemOf('/allowed_hosts')}>
          {(attributes) => (
            <input
              {...attributes}
              value={secret.hosts}
              autoComplete="off"
              maxLength={10_000}
              placeholder="api.example.com"
              onChange={({ target }) => change({ hosts: target.value })}
              className={`${fieldClass} font-mono`}
            />
          )}
        </Field>
      )}
      <p className="sm:col-span-2">
        <Button look="bare" onClick={remove} aria-label={`Remove secret ${number}`}>
          <X size={16} strokeWidth={1.5} aria-hidden />
          Remove
        </Button>
      </p>
    </div>
  );
}
