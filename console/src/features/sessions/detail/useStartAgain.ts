import { useNavigate } from '@tanstack/react-router';
import type { Session } from '../../../lib/api.ts';

/** A longer address would be refused after a reload. */
const longestAddress = 8_000;

/** Returns what opens the page of a new session with the prompt, repository and agent of this one. */
export function useStartAgain(org: string, { prompt, agent_id: agent, repositories }: Session): () => void {
  const navigate = useNavigate();
  const [first] = repositories;
  const search = {
    agent,
    ...(first === undefined ? {} : { repo: first.repo, ref: first.base_ref }),
    ...(encodeURIComponent(prompt).length > longestAddress ? {} : { prompt }),
  };
  return () => void navigate({ to: '/$org/sessions/new', params: { org }, search });
}
