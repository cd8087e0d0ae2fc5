import { Settings, Users } from 'lucide-react';
import type { SectionLink } from './sections.ts';

/** What administrators tend. */
export const organizationLinks: readonly SectionLink[] = [
  { to: '/$org/members', label: 'Members', icon: Users, scope: 'org:read' },
  { to: '/$org/settings', label: 'Settings', icon: Settings, scope: 'org:read' },
];
