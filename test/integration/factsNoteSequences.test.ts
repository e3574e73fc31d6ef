import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FactsNote } from '../../src/core/memory/factsNote/factsNote.ts';
import { readLines } from '../../src/core/memory/factsNote/readLines.ts';
import { FactLines } from '../../src/core/storage/factLines.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';

const SEQUENCES = 50;
const WORDS = ['moka', 'portail', 'Ordizan', 'thé', 'vélo', 'lundi'] as const;

const which = fc.nat(50);
const word = fc.constantFrom(...WORDS);
const act = fc.oneof(
  fc.record({ do: fc.constantFrom('add-here', 'add-there'), word }),
  fc.record({ do: fc.constantFrom('edit-here', 'edit-there'), which, word }),
  fc.record({
    do: fc.constantFrom(
      'remove-here',
      'restore-here',
      'remove-there',
      'unmark-there',
      'copy-there',
      'move-there',
      'cut-there',
    ),
    which,
  }),
  fc.record({
    do: fc.constantFrom('older-there', 'delete-there', 'settle-fact', 'settle-note', 'settle-both'),
  }),
  fc.record({
    do: fc.constantFrom(
      'sync',
      'sync',
      'sync',
      'fail-before',
      'fail-after',
      'write-meanwhile',
      'forget-gone',
    ),
  }),
);
type Act = { do: string; which?: number; word?: string };

let test: TestApp;
beforeAll(() => {
  test = createTestApp();
});
afterAll(() => test.dispose());

/** Facts and a note that two people change at once, with a disk that fails when it is told to. */
class Sides {
  text: string | null = null;
  writes = 0;
  readonly #older: (string | null)[] = [null];
  #said = 0;
  #fault: string | null = null;
  /** Whatever the program has read or was told. */
  readonly seen = new Set<string>();
  note = this.#start();

  #start(): FactsNote {
    const { services } = test.app;
    return new FactsNote({
      ...services,
      store: services.factStore,
      lines: new FactLines(services.db),
      setting: () => 'vault_a/Faits.md',
      placeOf: () => ({ vaultId: 'vault_a', root: '/', path: 'Faits.md' }),
      language: () => 'fr',
      onChange: () => undefined,
      file: {
        read: async () => (this.text === null ? null : Buffer.from(this.text)),
        write: async (_, content, before) => {
          const fault = this.#fault;
          this.#fault = null;
          if (fault === 'fail-before') throw new Error('stopped before the write');
          if (fault === 'write-meanwhile' && this.text !== null)
            this.text = `${this.text}\n- ${this.#say('entretemps')}\n`;
          if ((before?.toString() ?? null) !== this.text) return false;
          this.#older.push(this.text);
          this.text = content.toString();
          this.writes += 1;
          if (fault === 'fail-after') throw new Error('stopped after the write');
          return true;
        },
      },
    });
  }

  async sync(answer?: 'restore' | 'forget'): Promise<void> {
    await this.note.sync(answer ? { answer } : {});
    if (this.note.status.problem) return;
    for (const { text } of this.#lines()) if (/ \d+$/.test(text)) this.seen.add(text);
  }

  async act({ do: what, which = 0, word = '' }: Act): Promise<void> {
    const { facts } = test.app.services;
    const lines = this.#lines();
    const line = lines[which % Math.max(1, lines.length)];
    const here = facts.list();
    const fact = here[which % Math.max(1, here.length)];
    if (what === 'add-here')
      facts.add({ content: this.#here(word), kind: 'fact', subjects: [], importance: 0.5, ttl: null });
    if (what === 'edit-here' && fact) facts.edit(fact.id, { content: this.#here(word) });
    if (what === 'remove-here' && fact) facts.remove([fact.id]);
    if (what === 'restore-here') {
      const gone = facts.list({ statuses: ['forgotten'] });
      const one = gone[which % Math.max(1, gone.length)];
      if (one) facts.restore([one.id]);
    }
    if (what === 'add-there' && this.text !== null) this.text += `\n- ${this.#say(word)}\n`;
    if (line) this.#changeLine(what, line, word);
    if (what === 'cut-there') this.text = this.text?.slice(0, (which * 20) % (this.text.length + 1)) ?? null;
    if (what === 'delete-there') this.text = null;
    if (what === 'older-there') this.text = this.#older.at(-1) ?? null;
    if (what.startsWith('settle-')) {
      const [conflict] = this.note.conflicts();
      if (conflict) this.note.settleConflict(conflict.fact.id, what.slice(7) as 'fact' | 'note' | 'both');
    }
    if (what === 'sync') await this.sync();
    if (what === 'forget-gone') await this.sync('forget');
    if (['fail-before', 'fail-after', 'write-meanwhile'].includes(what)) {
      this.#fault = what;
      await this.sync().catch(() => undefined);
      this.#fault = null;
      // Nothing is left of a process that was stopped but the database and the file.
      this.note = this.#start();
    }
  }

  #changeLine(what: string, line: { at: number; text: string }, word: string): void {
    const all = (this.text ?? '').split('\n');
    const own = all[line.at] ?? '';
    if (what === 'edit-there') all[line.at] = own.replace(line.text, this.#say(word));
    if (what === 'remove-there') all.splice(line.at, 1);
    if (what === 'unmark-there') all[line.at] = own.replace(/ \^[a-z]+-\w+$/, '');
    if (what === 'copy-there') all.splice(line.at, 0, own);
    if (what === 'move-there') all.push(...all.splice(line.at, 1));
    this.text = all.join('\n');
  }

  #lines() {
    return this.text === null ? [] : readLines(this.text).facts;
  }

  #say(word: string): string {
    this.#said += 1;
    return `${word} ${this.#said}`;
  }

  #here(word: string): string {
    const said = this.#say(word);
    this.seen.add(said);
    return said;
  }

  /** Every wording that is kept somewhere. */
  kept(): Set<string> {
    const { facts } = test.app.services;
    const said = facts
      .list({ all: true })
      .flatMap(({ content, revisions }) => [content, ...revisions.map((one) => one.content)]);
    return new Set([
      ...said,
      ...this.note.conflicts().map(({ note }) => note),
      ...this.#lines().map(({ text }) => text),
    ]);
  }

  /** What the note says, and what is in use. */
  compare(): [string[], string[]] {
    const { facts } = test.app.services;
    const marked = this.#lines().filter(({ is }) => is === 'fact');
    return [
      marked.map(({ text, mark }) => `fact_${mark} ${text}`).sort(),
      facts
        .list()
        .map(({ id, content }) => `${id} ${content}`)
        .sort(),
    ];
  }
}

it('whatever happens on both sides, no wording is lost, and at rest note and facts agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
      const { db } = test.app.services;
      for (const table of ['fact_fts', 'facts', 'fact_lines']) db.run(`DELETE FROM ${table}`);
      const sides = new Sides();
      for (const one of acts) await sides.act(one);
      await sides.sync();
      // A note that was cut before its first line, and then written in, is no longer Souvenir's.
      if (sides.note.status.problem) sides.text = null;
      await sides.sync('restore');
      const kept = [...sides.kept()];
      expect([...sides.seen].filter((text) => !kept.some((one) => one.startsWith(text)))).toEqual([]);
      const [note, facts] = sides.compare();
      expect(note).toEqual(facts);
      const { text, writes } = sides;
      const said = sides.kept();
      await sides.sync();
      expect(sides.note.status).toMatchObject({ problem: null, asked: null, refused: [] });
      expect([sides.text, sides.writes]).toEqual([text, writes]);
      expect(sides.kept()).toEqual(said);
    }),
    { numRuns: SEQUENCES },
  );
});
