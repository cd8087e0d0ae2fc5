import { Type, type Static } from 'typebox';
import { Body, explain, Id, named, Text, Timestamp } from '../../http/schema.ts';

/** The most entries of one list. */
export const maxEntries = 200;

export const IpAccessEntry = named(
  'IpAccessEntry',
  Type.Object({
    id: Id,
    cidr: Type.String({ description: 'In canonical form: `10.1.2.3/8` is `10.0.0.0/8`.' }),
    note: Type.String(),
    created_at: Timestamp,
  }),
);

export const IpAccessList = named(
  'IpAccessList',
  Type.Object({ enabled: Type.Boolean(), entries: Type.Array(IpAccessEntry) }),
);

export const IpAccessCheck = named(
  'IpAccessCheck',
  Type.Object({
    ip: Type.String({ description: 'In canonical form: an IPv4-mapped IPv6 address is the IPv4 one.' }),
    allowed: Type.Boolean({ description: 'True for every address while the list is not enabled.' }),
    matched: Type.String({ description: 'The narrowest range that holds the address; "" when none does.' }),
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
  force: Type.Optional(
    Type.Boolean({ description: 'Also if it shuts out the address that you ask from; false unless given.' }),
  ),
});
export type AddIpAccessEntry = Static<typeof AddIpAccessEntry>;
export type ReplaceIpAccessList = Static<typeof ReplaceIpAccessList>;

explain('IpAccessList', {
  enabled: 'Whether anybody else is refused.',
  entries: 'The ranges that are let in, in the order in which they were put.',
});
explain('ReplaceIpAccessListRequest', {
  enabled: 'Whether anybody else is to be refused.',
  entries: 'All ranges that are to be let in, at most 200.',
});
