import type { LinkProps } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';

/** A line of the rail. */
export interface SectionLink {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: LucideIcon;
  /** The scope that reading it takes: without it the section is not shown. */
  scope: string;
  /** The letter after `g` that leads there. */
  key?: string;
}
