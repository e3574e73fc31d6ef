import { setTimeout as sleep } from 'node:timers/promises';
import { SCHEMA_8_NOW, writeSchema8 } from '../fixtures/databaseSchema8.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ChildCore } from './childCore.ts';
import { lookAt } from './lookAt.ts';
import { same } from './same.ts';

/** Kills that come while a database of schema 8 is migrated, and what must have become of it at the next start. */
export class MigrationKills {
  readonly #root = temporaryFolder();
  #expected: unknown = null;
  #openMs = 0;

  /** Migrates once to the end. */
  async begin(): Promise<void> {
    const startedAt = performance.now();
    const core = await ChildCore.open(writeSchema8(this.#root), SCHEMA_8_NOW);
    this.#openMs = performance.now() - startedAt;
    this.#expected = await lookAt(core, [this.#root]);
    await core.close();
  }

  /**
   * @param at when the kill comes, from 0 (at the start) to 1 (when it should be open)
   * @throws Error that says what is not as it would be without the kill
   */
  async kill(at: number): Promise<void> {
    const root = temporaryFolder();
    try {
      const dataDir = writeSchema8(root);
      const killed = ChildCore.start(dataDir, SCHEMA_8_NOW);
      await sleep(at * this.#openMs);
      await killed.kill();
      const core = await ChildCore.open(dataDir, SCHEMA_8_NOW);
      try {
        same('after a migration that was killed', await lookAt(core, [root]), this.#expected);
      } finally {
        await core.close();
      }
    } finally {
      removeFolder(root);
    }
  }

  end(): void {
    removeFolder(this.#root);
  }
}
