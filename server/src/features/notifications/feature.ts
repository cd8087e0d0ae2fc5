import { defineFeature } from '../define.ts';
import { noteForPeople } from './consumer.ts';
import { deleteOldNotifications } from './upkeep-service.ts';

export const notifications = defineFeature({
  tag: 'Notifications',
  description: '',
  mount: 'root',
  routes: () => [],
  consumers: [noteForPeople],
  maintenance: [
    { name: 'delete-notifications', schedule: '*/5 * * * *', timeoutMs: 120_000, run: deleteOldNotifications },
  ],
});
