import { useNavigate } from '@tanstack/react-router';

/** What the address of a session has instead of a command. */
export const shellCmd = 'shell';

/** Returns what opens a shell in a session's sandbox, or leads to the one that is open. */
export function useOpenShell(org: string, id: string): () => void {
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  return () =>
    void import('./shells.ts').then(({ openShell }) => {
      openShell(org, id);
      return navigate({
        search: ({ l: _lines, ...now }) => ({ ...now, tab: 'terminal' as const, cmd: shellCmd }),
        hash: true,
        replace: true,
      });
    });
}
