import { useActions } from '../../../../lib/actions.ts';
import type { Session } from '../../../../lib/api.ts';
import { copyText } from '../../../../lib/copy.ts';
import { Menu, type MenuItem } from '../../../../ui/Menu.tsx';
import { useCan } from '../../../shell/useCan.ts';
import { useOpenShell } from '../shell/useOpenShell.ts';
import { useCanUseSandbox } from '../useCanUseSandbox.ts';
import { useFork } from '../useFork.ts';
import { useIsLost } from '../useIsLost.ts';
import type { Editing } from './EditBar.tsx';
import type { SessionActions } from './useSessionActions.ts';

interface Props {
  org: string;
  session: Session;
  actions: SessionActions;
  edit: (what: Editing) => void;
}

const ended = new Set<Session['status']>(['completed', 'failed', 'canceled']);

/** Everything else that a person can do with a session, as far as they may and it is possible now. */
export function SessionMenu({ org, session, actions, edit }: Props) {
  const { id, status, archived, url } = session;
  const canRun = useCan(org, 'run');
  const isEnded = ended.has(status);
  const fork = useFork(org, id);
  const isLost = useIsLost(org, session);
  const canUseSandbox = useCanUseSandbox(org, session);
  const openShell = useOpenShell(org, id);
  useActions('Sandbox', canUseSandbox ? [{ label: 'Open a shell', act: openShell }] : []);
  const change: (MenuItem | false)[] = [
    { label: 'Rename', select: () => edit('title') },
    { label: 'Tags', select: () => edit('tags') },
    status !== 'canceled' && { label: 'Limits', select: () => edit('budget') },
    ['running', 'waiting'].includes(status) && { label: 'Suspend', select: () => actions.suspend.mutate() },
    status === 'suspended' && { label: 'Resume', select: () => actions.resume.mutate() },
    canUseSandbox && { label: 'Open a shell', select: openShell },
    isLost !== true && { label: 'Fork', select: () => fork.mutate(undefined) },
    isEnded && !archived && { label: 'Archive', select: () => actions.archive.mutate() },
    archived && { label: 'Take out of the archive', select: () => actions.unarchive.mutate() },
    !isEnded && { label: 'Cancel the session', danger: true, select: () => void actions.askToCancel() },
    isEnded && { label: 'Delete', danger: true, select: () => void actions.askToDelete() },
  ];
  const items: (MenuItem | false)[] = [
    ...(canRun ? change : []),
    { label: 'Download the transcript', select: () => location.assign(transcriptAddress(org, id)) },
    { label: 'Copy the link', select: () => void copyText(location.href, 'The link is copied') },
    { label: 'Copy the id', select: () => void copyText(id) },
    { label: 'Copy as curl', select: () => void copyText(curlOf(url)) },
  ];
  return <Menu label="More about this session" items={items} />;
}

function transcriptAddress(org: string, id: string): string {
  return `/v3/organizations/${encodeURIComponent(org)}/sessions/${encodeURIComponent(id)}/transcript?format=md`;
}

function curlOf(url: string): string {
  const address = new URL(url, location.origin).href.replaceAll("'", '%27');
  return `curl -H "authorization: Bearer $GUILDHALL_KEY" '${address}'`;
}
