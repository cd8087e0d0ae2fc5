import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSearch } from '../../../lib/useSearch.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { Page, backLink } from '../../../ui/Page.tsx';
import { Guarded } from '../../shell/Needs.tsx';
import { openDraft } from '../../sessions/composer/draft.ts';
import { HookSecret } from '../detail/HookSecret.tsx';
import type { Given } from '../search.ts';
import type { Automation } from '../words.ts';
import { AutomationEditor } from './AutomationEditor.tsx';
import { examples } from './examples.ts';
import { newAutomation, valuesOfDraft, type EditorValues } from './values.ts';

/** A new automation, empty or begun by an example or a link. */
export function NewAutomationScreen() {
  const { org } = useParams({ from: '/$org/automations/new' });
  const given = useSearch({ from: '/$org/automations/new' });
  const navigate = useNavigate();
  const [made, setMade] = useState<Automation>();
  const open = (id: string) => navigate({ to: '/$org/automations/$id', params: { org, id } });
  return (
    <Page
      title="New automation"
      back={
        <Link to="/$org/automations" params={{ org }} aria-label="All automations" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="run">
        <div className="flex max-w-[1200px] flex-col gap-6 px-4 py-4 sm:px-6">
          {made === undefined ? (
            <AutomationEditor
              org={org}
              values={valuesFor(org, given)}
              saved={(automation) => (automation.hook_secret === '' ? open(automation.id) : setMade(automation))}
            />
          ) : (
            <>
              <HookSecret automation={made} />
              <div>
                <Link to="/$org/automations/$id" params={{ org, id: made.id }} className={buttonClass('primary')}>
                  To the automation
                </Link>
              </div>
            </>
          )}
        </div>
      </Guarded>
    </Page>
  );
}

function valuesFor(org: string, { example, prompt, repo, ref = '', from }: Given): EditorValues {
  const values =
    from === 'session'
      ? valuesOfDraft(openDraft(org, {}))
      : (examples.find(({ id }) => id === example)?.values() ?? newAutomation());
  const { action } = values;
  return {
    ...values,
    action: {
      ...action,
      ...(prompt === undefined ? {} : { prompt_template: prompt }),
      ...(repo === undefined ? {} : { repositories: [{ provider: '' as const, repo, ref }] }),
    },
  };
}
