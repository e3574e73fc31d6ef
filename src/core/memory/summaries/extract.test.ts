import { describe, expect, it } from 'vitest';
import { extractFromSummaries, extractFromTurn, LONGEST_OF_MANY, LONGEST_OF_TURN } from './extract.ts';

const talk = (question: string, reply: string, quoted: string[] = []) =>
  extractFromTurn({
    said: [
      { role: 'user', text: question },
      { role: 'assistant', text: reply },
    ],
    quoted,
    tools: [],
    files: [],
  });

describe('a summary by rules', () => {
  it('of a French talk keeps its decision, its task, its names and its notes, in its own words', () => {
    const made = talk(
      'Bonjour ! Le toit de la grange fuit depuis mars, voir [[Travaux/Toiture]] et devis-2026.pdf. On a décidé de prendre les ardoises de Dupont pour 4 200 €. Il faut rappeler Léa avant vendredi.',
      'Très bien. Les ardoises tiennent longtemps, et 4 200 € est un prix raisonnable pour une grange de cette taille. N’hésitez pas à me demander autre chose.',
    );
    expect(made.text).toContain('On a décidé de prendre les ardoises de Dupont pour 4 200 €.');
    expect(made.findings).toEqual([
      'Le toit de la grange fuit depuis mars, voir Travaux/Toiture et devis-2026.pdf.',
      'On a décidé de prendre les ardoises de Dupont pour 4 200 €.',
      'Il faut rappeler Léa avant vendredi.',
    ]);
    expect(made.files).toEqual(['Travaux/Toiture', 'devis-2026.pdf']);
    expect(made.topics).toEqual(expect.arrayContaining(['Dupont', 'Léa', 'grange', 'ardoises']));
    expect(made.text.length).toBeLessThanOrEqual(LONGEST_OF_TURN);
  });

  it('of an English talk puts statements before questions and pleasantries', () => {
    const made = talk(
      'Hi there! Thanks. Can you help me with Atlas? We decided to launch Atlas on 14 June with Mickael. The database migration must be finished before that.',
      'Sure, happy to help. The launch of Atlas on 14 June leaves three weeks for the migration of the database.',
    );
    expect(made.text).toContain('We decided to launch Atlas on 14 June with Mickael.');
    expect(made.findings).toEqual([
      'We decided to launch Atlas on 14 June with Mickael.',
      'The database migration must be finished before that.',
    ]);
    expect(made.text).not.toMatch(/happy to help|Hi there/);
    expect(made.topics).toContain('Mickael');
  });

  it('leaves out what a reply copied from what it was given', () => {
    const note = 'Les tomates se plantent après les saints de glace, vers la mi-mai, au pied du mur.';
    const made = talk(
      'Quand planter ? Mon potager est à Lourdes.',
      'Les tomates se plantent après les saints de glace, vers la mi-mai [1]. À Lourdes il gèle parfois plus tard.',
      [note],
    );
    expect(made.text).not.toContain('saints de glace');
    expect(made.text).toContain('Mon potager est à Lourdes.');
    expect(made.text).toContain('À Lourdes il gèle parfois plus tard.');
  });

  it('says what there is if only thanks were exchanged', () => {
    expect(talk('Merci !', 'De rien.').text).toBe('Merci !');
  });

  it('never says more than was said, however much that is', () => {
    const long = Array.from({ length: 2_000 }, (_, at) => `Le lot ${at} part de Tarbes vers Auch.`).join(' ');
    const made = talk(long, 'Bien noté.');
    expect(made.text.length).toBeLessThanOrEqual(LONGEST_OF_TURN);
    const sentences = made.text.split(/(?<=\.) /);
    expect(sentences.filter((sentence) => !long.includes(sentence))).toEqual([]);
  });

  it('of summaries keeps their order and what was found out', () => {
    const children = Array.from({ length: 8 }, (_, at) =>
      talk(`On a choisi la couleur ${at} pour la porte numéro ${at}. Le bois vient de Foix.`, 'Entendu.'),
    );
    const made = extractFromSummaries(children);
    expect(made.text.length).toBeLessThanOrEqual(LONGEST_OF_MANY);
    expect(made.findings).toHaveLength(9);
    expect(made.findings).toContain('On a choisi la couleur 3 pour la porte numéro 3.');
    expect(made.topics).toContain('Foix');
    // What differs in a number alone is told as well.
    for (let at = 0; at < 8; at += 1) expect(made.text).toContain(`la couleur ${at} `);
  });
});
