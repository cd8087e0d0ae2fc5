import { Type, type Static } from 'typebox';
import { Body, defaults, explain, Id, named, Text, Timestamp, record } from '../../http/schema.ts';

/** Maximum number of entries of one list. */
export const maxEntries = 200;

export const IpAccessEntry = named(
  'IpAccessEntry',
  Type.Object({
    id: Id,
    cidr: Type.String({ description: 'In canonical form: `10.1.2.3/8` becomes `10.0.0.0/8`.' }),
    note: Type.String(),
    created_at: Timestamp,
  }),
);

export const IpAccessList = record(
  'IpAccessList',
  Type.Object({ enabled: Type.Boolean(), entries: Type.Array(IpAccessEntry) }),
);

export const IpAccessCheck = named(
  'IpAccessCheck',
  Type.Object({
    ip: Type.String({ description: 'In canonical form: an IPv4-mapped IPv6 address becomes the IPv4 one.' }),
    allowed: Type.Boolean({ description: 'True for every address while the list is disabled.' }),
    matched: Type.String({ description: 'The narrowest range that contains the address; "" for none.' }),
  }),
);

const entry = {
  cidr: Text(64, { minLength: 1, description: 'An address or a CIDR range, IPv4 or IPv6.' }),
  note: Type.Optional(Text(500)),
};
export const AddIpAccessEntry = Body(entry);
export const ReplaceIpAccessList = Body({
  enabled: Type.Boolean(),
  entries: Type.Array(Body(entry), { maxItems: maxEntries }),
  force: Type.Optional(Type.Boolean({ description: 'Apply the list even if it locks out your own address.' })),
});
export type AddIpAccessEntry = Static<typeof AddIpAccessEntry>;
export type ReplaceIpAccessList = Static<typeof ReplaceIpAccessList>;

explain('IpAccessList', {
  enabled: 'True if all other addresses are denied.',
  entries: 'The allowed ranges, in the order they were set.',
});
explain('ReplaceIpAccessListRequest', {
  enabled: 'True to deny all other addresses.',
  entries: 'All allowed ranges, at most 200.',
});
defaults('AddIpAccessEntryRequest', { note: '' });
defaults('ReplaceIpAccessListRequest', { 'entries.note': '', force: false });
