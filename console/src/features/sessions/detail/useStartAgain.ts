import { useNavigate } from '@tanstack/react-router';
import type { Session } from '../../../lib/api.ts';

/** A longer address would be refused after a reload. */
const longestAddress = 8_000;

/** What opens the page of a new session with the repository and agent of this one, and with its prompt unless it is long. */
export function useStartAgain(org: string, { prompt, agent_id: agent, repositories }: Session) {
  const navigate = useNavigate();
  const [first] = repositories;
  const hasPrompt = encodeURIComponent(prompt).length <= longestAddress;
  const search = {
    agent,
    ...(first === undefined ? {} : { repo: first.repo, ref: first.base_ref }),
    ...(hasPrompt ? { prompt } : {}),
  };
  return { hasPrompt, start: () => void navigate({ to: '/$org/sessions/new', params: { org }, search }) };
}
