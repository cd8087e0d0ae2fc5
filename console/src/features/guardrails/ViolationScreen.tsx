import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { count, shortId } from '../../lib/format.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Body, Facts, Page, Section, backLink } from '../../ui/Page.tsx';
import { ExactTime, Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { Items } from './Findings.tsx';
import { violationQuery } from './queries.ts';
import { actionWord, ruleLabel, stageWord, type Violation } from './rules.ts';

/** A violation of a rule, with its evidence. */
export function ViolationScreen() {
  const { org, id } = useParams({ from: '/$org/guardrails/violations/$id' });
  return (
    <Guarded org={org} scope="guardrails:read">
      <Loaded org={org} id={id} />
    </Guarded>
  );
}

function Loaded({ org, id }: { org: string; id: string }) {
  const query = useQuery(violationQuery(org, id));
  const violation = query.data;
  if (violation === undefined || isGone(query.error)) return <Unread query={query} what="Violation" />;
  const { rule, evidence } = violation;
  return (
    <Page
      title={ruleLabel(rule)}
      tab={`${ruleLabel(rule)} · violation`}
      back={
        <Link
          to="/$org/guardrails"
          params={{ org }}
          search={{ tab: 'violations' }}
          aria-label="All violations"
          className={backLink}
        >
          ‹
        </Link>
      }
      actions={<Acknowledge org={org} violation={violation} />}
    >
      <Body>
        <p className="max-w-[72ch] text-read break-words">{evidence.message}</p>
        <Facts facts={factsOf(org, violation)} />
        {evidence.items.length > 0 && (
          <Section title="Evidence, without secrets">
            <Items items={evidence.items} />
          </Section>
        )}
      </Body>
    </Page>
  );
}

function factsOf(org: string, violation: Violation): (readonly [string, ReactNode])[] {
  const { action, evidence, repo, session_id: session, count: times, rule } = violation;
  const { acknowledged_by: by, acknowledged_at: at } = violation;
  const { word, tone } = actionWord(action);
  return [
    [
      'Outcome',
      <Chip key="outcome" tone={tone}>
        {word}
      </Chip>,
    ],
    ['Checked', stageWord(evidence.stage)],
    ['Value', evidence.used === null ? undefined : count(evidence.used)],
    ['Limit', evidence.allowed === null ? undefined : count(evidence.allowed)],
    [
      'Repository',
      repo === '' ? undefined : (
        <Link to="/$org/guardrails" params={{ org }} search={{ repo, tab: 'violations', rule }} className="underline">
          {repo}
        </Link>
      ),
    ],
    [
      'Session',
      session === '' ? (
        'none: it was not created'
      ) : (
        <Link to="/$org/sessions/$id" params={{ org, id: session }} className="mono underline">
          {shortId(session)}
        </Link>
      ),
    ],
    ['Times', times > 1 ? `${count(times)} within a minute` : undefined],
    ['When', <ExactTime key="when" at={violation.created_at} />],
    [
      'Seen',
      at === null ? undefined : (
        <>
          by {by?.name === '' || by === null ? 'somebody who is gone' : by.name}, <Time at={at} />
        </>
      ),
    ],
  ];
}

function Acknowledge({ org, violation: { id, acknowledged_at: at } }: { org: string; violation: Violation }) {
  const canWrite = useCan(org, 'guardrails:write');
  const acknowledge = useAction({
    call: () =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/guardrails/violations/{id}/acknowledge', {
          params: { path: { id } },
        }),
      ),
    touches: [keys.one(org, 'violations', id), keys.lists(org, 'violations')],
  });
  if (!canWrite || at !== null) return null;
  return (
    <Button disabled={acknowledge.isPending} onClick={() => acknowledge.mutate()}>
      Mark as seen
    </Button>
  );
}
