import { ChartColumn, Coins, GitPullRequest, ListChecks, MessageSquareWarning, Timer } from 'lucide-react';
import { codeLinks, contextLinks } from './context-links.ts';
import { organizationLinks } from './organization-links.ts';
import type { SectionLink } from './section-link.ts';

/** The groups of the rail, in order. */
export const sections: readonly { title: string; links: readonly SectionLink[] }[] = [
  {
    title: 'Work',
    links: [
      { to: '/$org/sessions', label: 'Sessions', icon: ListChecks, scope: 'sessions:read', key: 's' },
      {
        to: '/$org/change-requests',
        label: 'Change requests',
        icon: GitPullRequest,
        scope: 'repos:read',
        key: 'c',
      },
      { to: '/$org/reviews', label: 'Reviews', icon: MessageSquareWarning, scope: 'reviews:read' },
      { to: '/$org/automations', label: 'Automations', icon: Timer, scope: 'sessions:read', key: 'a' },
    ],
  },
  {
    title: 'Context',
    links: contextLinks,
  },
  {
    title: 'Code',
    links: codeLinks,
  },
  {
    title: 'Measure',
    links: [
      { to: '/$org/consumption', label: 'Consumption', icon: Coins, scope: 'analytics:read' },
      { to: '/$org/metrics', label: 'Metrics', icon: ChartColumn, scope: 'analytics:read' },
    ],
  },
  {
    title: 'Organization',
    links: organizationLinks,
  },
];
