import { describe, expect, it } from 'vitest';
import { resolveLink } from './linkGraph.ts';
import { parseNote } from './parseNote.ts';

describe('parseNote', () => {
  it('reads properties, tags, aliases and the title', () => {
    const note = parseNote(
      'x.md',
      '---\ntags: [travail, "#projet/atlas"]\naliases: Plan A, Plan B\nauteur: Inès\n---\n# Le *plan*\n\nTexte #idée et `#code`, [lien](#ancre), #123.',
    );
    expect(note).toMatchObject({
      title: 'Le plan',
      tags: ['travail', 'projet/atlas', 'idée'],
      aliases: ['Plan A', 'Plan B'],
      properties: ['Inès'],
      problem: null,
    });
  });

  it('takes the title from the properties, the first heading, or the file', () => {
    expect(parseNote('a.md', '---\ntitle: Propre\n---\n# Autre').title).toBe('Propre');
    expect(parseNote('a.md', 'Texte\n\n# Titre').title).toBe('Titre');
    expect(parseNote('d/Nom de fichier.md', 'Texte').title).toBe('Nom de fichier');
  });

  it('tells a fault in the properties by code and line, and keeps their text', () => {
    const note = parseNote('x.md', '---\na: [1\nsecret: "oui\n---\nTexte');
    expect(note.problem).toMatchObject({ reason: 'front-matter-invalid' });
    expect(note.problem?.detail).not.toContain('secret');
    expect(note.sections.flatMap((section) => section.blocks.map((block) => block.text))).toEqual([
      'a: [1\nsecret: "oui',
      'Texte',
    ]);
  });

  it('reads links as Obsidian writes them, and none from code', () => {
    const { links } = parseNote(
      'x.md',
      'Voir [[A]], [[B#Titre|affiché]], ![[C.png]], [d](../D%20e.md#f), [web](https://x.fr) `[[G]]`\n\n```\n[[H]]\n```',
    );
    expect(links.map(({ kind, target, heading, display }) => [kind, target, heading, display])).toEqual([
      ['wikilink', 'A', null, null],
      ['wikilink', 'B', 'Titre', 'affiché'],
      ['embed', 'C.png', null, null],
      ['markdown', '../D e.md', 'f', 'd'],
    ]);
  });

  it('takes front matter only at the very start, and closed', () => {
    expect(parseNote('x.md', '\n---\na: 1\n---\n').tags).toEqual([]);
    expect(parseNote('x.md', '---\ntags: [a]\n').tags).toEqual([]);
    expect(parseNote('x.md', '\uFEFF---\r\ntags: [a]\r\n---\r\n').tags).toEqual(['a']);
  });

  it('comes to an end on hostile notes', () => {
    for (const note of [
      `${'> '.repeat(2_000)}x`,
      `${Array.from({ length: 1_500 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')}`,
      '['.repeat(100_000),
      '[[a|'.repeat(50_000),
      '[a]('.repeat(50_000),
      '#'.repeat(200_000),
      `${' '.repeat(200_000)}x`,
      '`'.repeat(100_000),
      '|'.repeat(100_000),
      `---\n${'a: &a [*a]\n'.repeat(2_000)}---\n`,
    ]) {
      expect(parseNote('x.md', note).sections).toBeDefined();
    }
  });
});

describe('resolveLink', () => {
  const notes = [{ path: 'Projets/Plan.md' }, { path: 'Plan.md' }, { path: 'Archives/Vieux/Plan.md' }];
  it.each([
    ['Plan', 'Plan.md'],
    ['projets/plan', 'Projets/Plan.md'],
    ['../Vieux/Plan.md', 'Archives/Vieux/Plan.md'],
    ['Autre/Plan', null],
  ])('takes %s for %s', (target, path) => {
    expect(resolveLink(target, notes)?.path ?? null).toBe(path);
  });
});
