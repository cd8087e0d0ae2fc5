export const createAttachment = {
  'A log': { file: '2026-11-20T09:14:03Z ERROR cart: total of 2 items is 0.00, expected 19.90\n' },
};
