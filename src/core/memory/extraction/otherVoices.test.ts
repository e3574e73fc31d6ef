import { describe, expect, it } from 'vitest';
import { findStatements } from './findStatements.ts';

const at = new Date(2026, 2, 2, 9, 15).getTime();
const learnt = (message: string) => findStatements(message, at).map(({ content }) => content);

describe('what is said in another voice', () => {
  it.each([
    // What stands beside is called a text.
    'J’habite à Lens et j’élève des chèvres : c’est la phrase d’exemple, lis-la lentement.',
    'I live in Hull and I keep bees. That’s the opening line, does it work?',
    'Pour mon roman : Aminata a 34 ans et elle est vétérinaire à Thiès. Trouve-lui un rival.',
    // Papers name who signs.
    'Je soussigné Paul Ferrand, né le 3 mai 1971 à Dax, atteste sur l’honneur. Il manque quoi ?',
    'We the undersigned, Ann Lowe and Tom Reed of Leeds, hereby sell the boat. Is it valid?',
    // Exercises by their headings.
    'Étude de cas n° 4. Simone, 81 ans, vit seule à Vichy. Proposez un plan.',
    'Exam question 2: my name is Dana and I live in Oslo.',
    // Parts, and people who are spoken to.
    'Let me practise: my name is Rita Bell and I live in Crewe.',
    'Allô mamie ? J’habite à Pau maintenant, je travaille chez Safran !',
    'I live in York, Your Honour, and my brother was with me on 3 March.',
    // Plays name who speaks, novels set talk in lines, and some of several is to be chosen.
    'LOUISE (posant sa valise). — Je rentre de Dakar. J’ai vendu l’appartement.\nDonne la réplique suivante.',
    'Stage directions: ISMENE enters. ISMENE: I live in Leeds now. What lighting would you suggest?',
    '— Bonjour, je suis allergique aux noix.\n— J’habite à Lens depuis 2019.\nContinue ?',
    'Compare: a) I’ve lived in Rabat since 2010 b) I lived in Rabat in 2010. Which tense?',
    'Which one?\nA. My brother lives in Leeds.\nB. My name is Rita Bell and I live in Crewe.',
    // Cases of somebody's work, and games.
    'My client, a self-employed roofer, moved to Kent in 2019. How long has he got to appeal?',
    'Un client me demande si c’est légal. Il a quitté Lens le 31 janvier. Que dit la loi ?',
    'On Stardew Valley I’m married to Leah and have 12 chickens. Best autumn crop?',
    // Nothing is to be kept.
    'Ne retiens rien de ce qui suit : je m’appelle Jean Test et j’habite à Testville.',
  ])('teaches nothing: %j', (message) => {
    expect(learnt(message)).toEqual([]);
  });

  it.each([
    'J’habite à Lens et j’élève des chèvres.',
    'My name is Rita Bell and I live in Crewe.',
    'Ma grand-mère habite à Pau maintenant.',
    'Le notaire a lu l’acte : ma sœur est née le 3 mai 1971 à Dax.',
    'NASA (my employer) is moving me to Houston in May.',
    'IMPORTANT : je suis allergique aux noix.',
    'My client Anne Mercer moved to Leeds. What do I send her?',
    'Je dis bonjour à mamie chaque dimanche, elle habite à Pau.',
  ])('and the same in the author’s own voice teaches: %j', (message) => {
    expect(learnt(message).length).toBeGreaterThan(0);
  });

  it('is kept where the user asks that it be remembered', () => {
    expect(learnt('Retiens que mon roman s’appelle Les Cendres. C’est pour mon roman.')).toHaveLength(1);
  });
});
