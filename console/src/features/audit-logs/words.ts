export const outcomeTones = { success: 'plain', denied: 'wait', error: 'bad' } as const;

export const outcomeWords = { success: 'Done', denied: 'Denied', error: 'Error' } as const;

export const outcomeOptions = [
  ['success', 'Done'],
  ['denied', 'Denied'],
  ['error', 'Error'],
] as const;

export const breakWords = {
  hash_mismatch: 'the entry was changed after it was linked',
  prev_hash_mismatch: 'links were exchanged',
  entry_missing: 'an entry was deleted',
  link_missing: 'a link was deleted',
  entry_not_linked: 'an entry lost its link',
  head_mismatch: 'the end of the chain was deleted',
} as const;
