import type { Migration } from '../migrate.ts';

/** Which folder the rows of a vault were read from, so that another one in its place is noticed. */
export const vaultIdentity: Migration = {
  version: 21,
  name: 'vault-identity',
  sql: `
    ALTER TABLE vaults ADD COLUMN root_identity TEXT; -- device and inode of the folder; null until it has been walked
  `,
};
