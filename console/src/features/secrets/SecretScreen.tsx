import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { backLink, Body, Facts, Page, Section } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { kinds, secretQuery, secretsPath, type Secret } from './queries.ts';
import { ReplaceValue } from './ReplaceValue.tsx';
import { SecretTraits } from './SecretTraits.tsx';
import { SecretUses } from './SecretUses.tsx';
import { exposureOf, givenTo } from './words.ts';

/** A secret: everything but its value. */
export function SecretScreen() {
  const { org, id } = useParams({ from: '/$org/secrets/$id' });
  return (
    <Guarded org={org} scope="secrets:read">
      <ReadSecret org={org} id={id} />
    </Guarded>
  );
}

function ReadSecret({ org, id }: { org: string; id: string }) {
  const query = useQuery(secretQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Secret" />;
  return <OneSecret org={org} secret={query.data} />;
}

const kindWords = new Map<string, string>(kinds);

function OneSecret({ org, secret }: { org: string; secret: Tagged<Secret> }) {
  const { key, kind, note, version, created_by: author, updated_at: updatedAt, last_used_at: usedAt } = secret;
  const canWrite = useCan(org, 'secrets:write');
  return (
    <Page
      title={key}
      back={
        <Link to="/$org/secrets" params={{ org }} aria-label="All secrets" className={backLink}>
          ‹
        </Link>
      }
      actions={canWrite && <SecretMenu org={org} secret={secret} />}
    >
      <Body>
        <p className="max-w-[72ch] text-read">{exposureOf(secret)}</p>
        <Facts
          facts={[
            ['For', givenTo(secret)],
            ['Kind', kindWords.get(kind)],
            ['Note', note === '' ? undefined : note],
            ['Value', `version ${version}; nobody can read it here`],
            ['Stored by', author.name === '' ? undefined : author.name],
            ['Changed', <Time key="changed" at={updatedAt} />],
            ['Last used', usedAt === null ? 'never' : <Time key="used" at={usedAt} />],
          ]}
        />
        <Needs org={org} scope="secrets:write" what="Replacing or deleting it" />
        {canWrite && (
          <>
            <Section title="Value">
              <ReplaceValue org={org} secret={secret} />
            </Section>
            <Section title="How sessions get it">
              <SecretTraits org={org} secret={secret} />
            </Section>
          </>
        )}
        <Section title="Sessions that had it">
          <SecretUses org={org} id={secret.id} />
        </Section>
      </Body>
    </Page>
  );
}

function SecretMenu({ org, secret: { id, key } }: { org: string; secret: Secret }) {
  const ask = useConfirm();
  const navigate = useNavigate();
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(`${secretsPath}/{id}`, { params: { path: { id } } })),
    touches: [keys.lists(org, 'secrets')],
    says: `${key} is deleted.`,
    leaves: true,
    done: () => navigate({ to: '/$org/secrets', params: { org } }),
  });
  const confirm = async () => {
    const text = 'Sessions no longer get it, and its value is gone. This cannot be undone.';
    if (await ask({ title: `Delete ${key}?`, text, action: 'Delete the secret' })) remove.mutate();
  };
  return (
    <Menu label={`More about ${key}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
