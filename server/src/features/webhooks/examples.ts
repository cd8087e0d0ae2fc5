import type { Examples } from '../../http/examples.ts';
import type { CreateWebhook, RotateWebhookSecret, UpdateWebhook } from './schemas.ts';

export const createWebhook: Examples<typeof CreateWebhook> = {
  'Sessions and merges': {
    url: 'https://ci.example.com/hooks/guildhall',
    name: 'CI',
    events: ['session.status_changed', 'change_request.merged'],
  },
};

export const updateWebhook: Examples<typeof UpdateWebhook> = {
  'Send everything': { events: [], enabled: true },
};

export const rotateWebhookSecret: Examples<typeof RotateWebhookSecret> = {
  'Both secrets sign for an hour': { overlap_seconds: 3_600 },
};
