import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { useActions } from '../../../../lib/actions.ts';
import { useSearch } from '../../../../lib/useSearch.ts';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { Tabs, type Tab } from '../../../../ui/Tabs.tsx';
import { changesQuery } from '../queries.ts';
import type { TabId } from '../search.ts';
import { EvidenceTab } from './EvidenceTab.tsx';

const ChangesTab = lazily(async () => (await import('../changes/ChangesTab.tsx')).ChangesTab);
const TerminalTab = lazily(async () => (await import('../terminal/TerminalTab.tsx')).TerminalTab);
const PlanTab = lazily(async () => (await import('./PlanTab.tsx')).PlanTab);
const ArtifactsTab = lazily(async () => (await import('./ArtifactsTab.tsx')).ArtifactsTab);
const ContextTab = lazily(async () => (await import('./ContextTab.tsx')).ContextTab);
const CostTab = lazily(async () => (await import('./CostTab.tsx')).CostTab);
const RawTab = lazily(async () => (await import('../raw/RawTab.tsx')).RawTab);

function lazily<Given extends object>(load: () => Promise<ComponentType<Given>>) {
  return lazy(async () => ({ default: await load() }));
}

interface Props {
  org: string;
  session: Session;
  /** The log as the first of the tabs, where there is no room for two. */
  log?: () => ReactNode;
}

/** What belongs to a session beside its log, one part at a time; the address knows which. */
export function SessionTabs({ org, session, log }: Props) {
  const { tab } = useSearch({ from: '/$org/sessions/$id' });
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const { id } = session;
  const { data: changes } = useQuery(changesQuery(org, id));
  const part = (tabId: TabId, label: string, content: () => ReactNode, amount?: number): Tab<TabId> => ({
    id: tabId,
    label,
    amount,
    content: () => <Suspense fallback={<SkeletonRows rows={8} height={28} />}>{content()}</Suspense>,
  });
  const tabs: Tab<TabId>[] = [
    ...(log === undefined ? [] : [{ id: 'log' as const, label: 'Log', content: log }]),
    part('evidence', 'Evidence', () => <EvidenceTab org={org} session={session} />),
    part('changes', 'Changes', () => <ChangesTab org={org} session={session} />, changes?.files.length),
    part('terminal', 'Terminal', () => <TerminalTab org={org} session={session} />),
    part('plan', 'Plan', () => <PlanTab org={org} session={session} />),
    part('artifacts', 'Artifacts', () => <ArtifactsTab org={org} id={id} />),
    part('context', 'Context', () => <ContextTab org={org} id={id} />),
    part('cost', 'Cost', () => <CostTab org={org} session={session} />),
    part('raw', 'Raw', () => <RawTab org={org} id={id} />),
  ];
  const show = (next: TabId) =>
    // The lines are those of the part that is left.
    void navigate({ search: ({ l: _lines, ...now }) => ({ ...now, tab: next }), hash: true, replace: true });
  const numbered = tabs.filter(({ id: one }) => one !== 'log');
  useActions(
    'Parts of the session',
    numbered.map(({ id: one, label }, at) => ({ label, key: String(at + 1), act: () => show(one) })),
  );
  const first = log === undefined ? 'evidence' : 'log';
  return (
    <Tabs
      label="Parts of the session"
      tabs={tabs}
      value={tabs.some(({ id: one }) => one === tab) && tab !== undefined ? tab : first}
      onChange={show}
    />
  );
}
