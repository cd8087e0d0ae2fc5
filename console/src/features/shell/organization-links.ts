import { Bot, Network, ScrollText, Settings, ShieldCheck, Users, UsersRound, Webhook } from 'lucide-react';
import type { SectionLink } from './section-link.ts';

/** What administrators tend. */
export const organizationLinks: readonly SectionLink[] = [
  { to: '/$org/members', label: 'Members', icon: Users, scope: 'org:read' },
  { to: '/$org/groups', label: 'Groups', icon: UsersRound, scope: 'org:read' },
  { to: '/$org/service-users', label: 'Machines', icon: Bot, scope: 'org:read' },
  { to: '/$org/ip-access-list', label: 'Access list', icon: Network, scope: 'org:read' },
  { to: '/$org/guardrails', label: 'Guardrails', icon: ShieldCheck, scope: 'guardrails:read' },
  { to: '/$org/webhooks', label: 'Webhooks', icon: Webhook, scope: 'org:read' },
  { to: '/$org/audit-logs', label: 'Audit', icon: ScrollText, scope: 'org:read' },
  { to: '/$org/settings', label: 'Settings', icon: Settings, scope: 'org:read' },
];
