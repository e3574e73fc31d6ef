import { expect, it } from 'vitest';
import type { FactKind } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { loadWordVectors } from '../../embedding/wordVectors.ts';
import { loadLexicon } from '../../search/lexical/lexicon.ts';
import { Particularity } from '../../support/text/particulars.ts';
import { Consolidation } from './consolidate.ts';
import { Words } from './words.ts';

const words = new Words(loadLexicon(), loadWordVectors);
const consolidation = new Consolidation(new Particularity(words), words);

interface Said {
  content: string;
  subjects?: string[];
  people?: string[];
  kind?: FactKind;
  /** Key and value; null if the wording was changed by hand. */
  states?: [string, string | null];
}

const comparable = ({ content, subjects = [], people = [], kind = 'fact', states }: Said) => ({
  content,
  subjects,
  kind,
  people: new Set(people),
  key: states?.[0] ?? null,
  value: states?.[1] ?? null,
});

const becomes = (before: Said, now: Said): string =>
  consolidation.decide(comparable(now), [{ ...comparable(before), id: 'fact_a' as FactId }]).is;

it.each<[string, Said, Said]>([
  [
    'same',
    { content: 'J’habite à Besançon', states: ['user.home', 'Besançon'] },
    { content: 'Je vis à Besançon', states: ['user.home', 'Besançon'] },
  ],
  [
    'successor',
    { content: 'Ma sœur vit en face de la gare', states: ['person:sister.home', null] },
    { content: 'Ma sœur habite à Brest', states: ['person:sister.home', 'Brest'] },
  ],
  [
    'refinement',
    { content: 'J’habite à Nantes', states: ['user.home', 'Nantes'] },
    { content: 'J’habite à Nantes depuis 2019', states: ['user.home', 'Nantes'] },
  ],
  [
    'successor',
    { content: 'J’habite à Anne', states: ['user.home', 'Anne'] },
    { content: 'J’habite à Annecy', states: ['user.home', 'Annecy'] },
  ],
  [
    'new',
    { content: 'Luc habite à Lorient', states: ['person:luc.home', 'Lorient'] },
    { content: 'Yann habite à Lorient', states: ['person:yann.home', 'Lorient'] },
  ],
  [
    'refinement',
    { content: 'Il s’est cassé l’épaule' },
    { content: 'Il s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo' },
  ],
  ['same', { content: 'Il s’est cassé l’épaule le 10 janvier 2026' }, { content: 'Il s’est cassé l’épaule' }],
  [
    'new',
    { content: 'Le lot 1 du chantier 2 est livré', subjects: ['chantier'] },
    { content: 'Le lot 2 du chantier 1 est livré', subjects: ['chantier'] },
  ],
  [
    'new',
    { content: 'Lot 1 of site 2 starts in May', subjects: ['site'], kind: 'event' },
    { content: 'Lot 2 of site 1 has been put back to June', subjects: ['site'], kind: 'event' },
  ],
  [
    'successor',
    { content: 'Meeting 2 is in room 3', subjects: ['meeting 2'], kind: 'event' },
    { content: 'Meeting 2 has been moved to room 4', subjects: ['meeting 2'], kind: 'event' },
  ],
  [
    'same',
    { content: 'La réunion est à 14 h dans la salle bleue' },
    { content: 'La réunion a lieu à 14h dans la salle bleue' },
  ],
  [
    'contradiction',
    { content: 'Hugo est allergique aux noix', people: ['hugo'] },
    { content: 'Hugo n’est pas allergique aux noix', people: ['hugo'] },
  ],
  [
    'new',
    { content: 'Ma sœur est allergique aux noix', people: ['sister'] },
    { content: 'Mon frère n’est pas allergique aux noix', people: ['brother'] },
  ],
  [
    'new',
    { content: 'Le code du portail est 4812', subjects: ['portail'] },
    { content: 'Le code du garage est 4813', subjects: ['garage'] },
  ],
  [
    'successor',
    { content: 'Rendez-vous chez le dentiste le 12 mars', subjects: ['dentiste'], kind: 'event' },
    {
      content: 'Le rendez-vous chez le dentiste est reporté au 15 mars',
      subjects: ['dentiste'],
      kind: 'event',
    },
  ],
  [
    'new',
    { content: 'Rendez-vous chez le dentiste le 12 mars', subjects: ['dentiste'], kind: 'event' },
    {
      content: 'J’ai un autre rendez-vous chez le dentiste le 15 mars',
      subjects: ['dentiste'],
      kind: 'event',
    },
  ],
  [
    'new',
    { content: 'David aime le thé vert', subjects: ['David', 'thé'], people: ['david'] },
    { content: 'David aime le café noir', subjects: ['David', 'café'], people: ['david'] },
  ],
])('a statement is %s: %o, then %o', (is, before, now) => {
  expect(becomes(before, now)).toBe(is);
});

it('of several facts the one that says the same counts', () => {
  const known = ['Le toit fuit', 'Le toit du hangar fuit depuis lundi'].map((content, index) => ({
    ...comparable({ content }),
    id: `fact_${index}` as FactId,
  }));
  expect(consolidation.decide(comparable({ content: 'Le toit du hangar fuit depuis lundi' }), known)).toEqual(
    {
      is: 'same',
      id: 'fact_1',
    },
  );
});

/** Content, kind, subjects, people by slug. */
type Short = [content: string, kind: FactKind, subjects: string[], people?: string[]];
const short = ([content, kind, subjects, people = []]: Short): Said => ({ content, kind, subjects, people });

it.each<[Short, Short]>([
  [
    ["Réunion avec les parents d'élèves le 12 mars", 'event', ['réunion', "parents d'élèves"]],
    ['Réunion avec le maire le 15 mars à 18 h', 'event', ['réunion', 'maire']],
  ],
  [
    ['Dentist appointment on 4 May at 10', 'event', ['Dentist']],
    ['Dermatologist appointment on 6 May at 11', 'event', ['Dermatologist']],
  ],
  [
    ['Concert de Stromae le 12 juin à Lyon', 'event', ['Stromae', 'Lyon']],
    ["Concert d'Angèle le 20 juin à Lyon", 'event', ['Angèle', 'Lyon']],
  ],
  [
    ['Mon mot de passe wifi est bleuet42', 'fact', ['wifi']],
    ['Le mot de passe de la box du bureau est lilas17', 'fact', ['box', 'bureau']],
  ],
  [
    ['The spare key is under the pot by the front door', 'fact', ['spare key']],
    ['The garage key is on the hook in the hall', 'fact', ['garage key']],
  ],
  [
    ['I bought a red bike in 2019', 'event', ['bike']],
    ['I bought a blue kayak in 2021', 'event', ['kayak']],
  ],
  [
    ['Ma voiture passe au contrôle technique le 3 avril', 'event', ['voiture']],
    ['La moto passe au contrôle technique le 9 avril', 'event', ['moto']],
  ],
  [
    ['My physics exam is on 3 June', 'event', ['physics exam']],
    ['My chemistry exam is on 5 June', 'event', ['chemistry exam']],
  ],
  [
    ['Léa joue au tennis le mercredi', 'fact', ['Léa'], ['lea']],
    ['Tom joue au tennis le jeudi', 'fact', ['Tom'], ['tom']],
  ],
  [
    ['Léa joue au tennis le mercredi', 'fact', ['Léa'], ['lea']],
    ['Léa joue au piano le vendredi', 'fact', ['Léa'], ['lea']],
  ],
  [
    ["J'aime le thé vert", 'preference', ['thé vert']],
    ["J'aime le café noir", 'preference', ['café noir']],
  ],
  [
    ['I love hiking in the Alps', 'preference', ['hiking', 'Alps']],
    ['I love skiing in the Alps', 'preference', ['skiing', 'Alps']],
  ],
  [
    ['Nous avons deux chats, Figaro et Mina', 'relation', ['Figaro', 'Mina']],
    ['Nous avons un chien, Rex', 'relation', ['Rex']],
  ],
  [
    ['I am allergic to peanuts', 'fact', ['peanuts']],
    ['I am allergic to cats', 'fact', ['cats']],
  ],
  [
    ['Je suis allergique au pollen', 'fact', ['pollen']],
    ['Je suis allergique aux acariens', 'fact', ['acariens']],
  ],
  [
    ['The flight to Rome is on 3 May at 9:40', 'event', ['Rome']],
    ['The flight to Oslo is on 12 May at 7:15', 'event', ['Oslo']],
  ],
  [
    ['Rendez-vous chez le garagiste mardi à 9 h', 'event', ['garagiste']],
    ['Rendez-vous chez le notaire mardi à 14 h', 'event', ['notaire']],
  ],
  [
    ["Le bail de l'appartement finit en juin 2027", 'fact', ['appartement']],
    ['Le bail du garage finit en mars 2026', 'fact', ['garage']],
  ],
  [
    ['Mon numéro de dossier CAF est 4412098', 'fact', ['CAF']],
    ['Mon numéro de dossier impôts est 8812003', 'fact', ['impôts']],
  ],
  [
    ['Anna is vegetarian', 'preference', ['Anna'], ['anna']],
    ["Anna's husband eats meat every day", 'preference', ['Anna'], ['anna']],
  ],
  [
    ["Paul a un rendez-vous chez l'ORL le 4 mai", 'event', ['Paul'], ['paul']],
    ['Paul a un entretien chez Thales le 4 mai', 'event', ['Paul', 'Thales'], ['paul']],
  ],
  [
    ['The kids have swimming on Mondays', 'fact', ['kids']],
    ['The kids have judo on Thursdays', 'fact', ['kids']],
  ],
  [
    ['Je cours le marathon de Paris en avril', 'goal', ['marathon de Paris']],
    ['Je cours le semi de Lyon en octobre', 'goal', ['semi de Lyon']],
  ],
  [
    ['We decided to paint the kitchen yellow', 'decision', ['kitchen']],
    ['We decided to paint the bathroom white', 'decision', ['bathroom']],
  ],
  [
    ['We decided to paint the kitchen yellow', 'decision', ['kitchen']],
    [
      'We decided to put the fridge in the kitchen corner next to the window',
      'decision',
      ['kitchen', 'fridge'],
    ],
  ],
  [
    ['On a décidé de refaire la toiture en 2027', 'decision', ['toiture']],
    ['On a décidé de refaire la terrasse en 2026', 'decision', ['terrasse']],
  ],
  [
    ['Projet Atlas : livraison le 3 mars', 'event', ['Atlas']],
    ['Projet Orion : livraison le 9 avril', 'event', ['Orion']],
  ],
  [
    ['Projet Atlas : livraison le 3 mars', 'event', ['Atlas']],
    ['Projet Atlas : réunion de lancement le 9 janvier', 'event', ['Atlas']],
  ],
  [
    ['Projet Atlas : on utilise Rust', 'decision', ['Atlas']],
    ['Projet Atlas : les tests tournent la nuit', 'decision', ['Atlas']],
  ],
  [
    ['My grandmother was born in Cork in 1931', 'identity', ['grandmother'], ['grandmother']],
    ['My grandmother died in Dublin in 2004', 'event', ['grandmother'], ['grandmother']],
  ],
  [
    ["J'ai rendez-vous avec Claire mardi", 'event', ['Claire'], ['claire']],
    ["J'ai rendez-vous avec Hélène jeudi", 'event', ['Hélène'], ['helene']],
  ],
  [
    ['Our cat Figaro takes thyroid pills', 'fact', ['Figaro']],
    ['Our cat Mina takes antibiotics', 'fact', ['Mina']],
  ],
  [
    ['Alice prend le train de 7 h 12', 'fact', ['Alice'], ['alice']],
    ['Alice prend le bus de 18 h 40', 'fact', ['Alice'], ['alice']],
  ],
  [
    ['The office in Lille has 12 desks', 'fact', ['office in Lille', 'Lille']],
    ['The office in Nantes has 20 desks', 'fact', ['office in Nantes', 'Nantes']],
  ],
  [
    ['Mon fils Hugo est en CE1', 'relation', ['Hugo'], ['hugo']],
    ['Mon fils Hugo a peur du noir', 'relation', ['Hugo'], ['hugo']],
  ],
  [
    ['My sister Emma plays the cello', 'relation', ['Emma'], ['emma']],
    ['My sister Emma hates flying', 'relation', ['Emma'], ['emma']],
  ],
  [
    ['Le médecin de Papa est le docteur Roux', 'relation', ['Papa', 'docteur Roux'], ['father']],
    [
      'Le médecin de Maman est désormais le docteur Blanc',
      'relation',
      ['Maman', 'docteur Blanc'],
      ['mother'],
    ],
  ],
  [
    ['My boss Karen is allergic to dogs', 'fact', ['Karen'], ['karen']],
    ['My boss is now Steve', 'relation', ['Steve'], ['steve']],
  ],
  [
    ["L'anniversaire de mariage de mes parents est le 8 juin", 'event', ['parents'], ['parents']],
    ["L'anniversaire de Papa est le 9 juin", 'event', ['Papa'], ['father']],
  ],
  [
    ['The red team meets in room 4 on Fridays', 'fact', ['red team']],
    ['The blue team meets in room 6 on Fridays', 'fact', ['blue team']],
  ],
  [
    ['Le yaourt à la vanille me donne mal au ventre', 'fact', ['yaourt']],
    ["J'ai acheté un congélateur à vanille", 'fact', ['congélateur']],
  ],
  [
    ["I have a doctor's appointment in March", 'event', ['doctor']],
    ["I have a doctor's note for my back", 'fact', ['doctor']],
  ],
  [
    ['Mon vol pour Montréal part le 2 mai', 'event', ['Montréal']],
    ['Mon hôtel à Montréal est réservé du 3 au 9 mai', 'event', ['Montréal']],
  ],
  [
    ['Le plombier vient lundi à 8 h', 'event', ['plombier']],
    ["L'électricien vient lundi à 10 h", 'event', ['électricien']],
  ],
  [
    ['Prévoir 200 g de farine pour le gâteau', 'task', ['gâteau']],
    ['Prévoir 12 bougies pour le gâteau', 'task', ['gâteau']],
  ],
  [
    ['My left knee hurts when I run', 'fact', ['knee']],
    ['My right knee was operated on in 2015', 'event', ['knee']],
  ],
  [
    ['Il faut appeler la banque mardi', 'task', ['banque']],
    ['Il faut appeler la mutuelle mercredi', 'task', ['mutuelle']],
  ],
  [
    ['I need to renew my passport by June', 'task', ['passport']],
    ['I need to renew my driving licence by August', 'task', ['driving licence']],
  ],
  [
    ['Our wedding is on 6 June', 'event', ['wedding']],
    ['Our wedding photographer is called Nils', 'relation', ['Nils']],
  ],
  [
    ['Le match de Tom est samedi à 10 h', 'event', ['Tom'], ['tom']],
    ['Le match de Zoé est samedi à 14 h', 'event', ['Zoé'], ['zoe']],
  ],
  [
    ['Mardi je vois Paul à 18 h', 'event', ['Paul'], ['paul']],
    ['Mardi je vois Paul', 'event', ['Paul'], ['luc']],
  ],
  [
    ['I collect stamps', 'preference', ['stamps']],
    ['I collect vinyl records', 'preference', ['vinyl records']],
  ],
  [
    ['Mes deux voisins sont bruyants', 'fact', ['voisins']],
    ['Mes deux voisines jouent du piano', 'fact', ['voisines']],
  ],
  [
    ['I take vitamin D every morning', 'fact', ['vitamin D']],
    ['I take iron every other evening', 'fact', ['iron']],
  ],
  [
    ['Le chien du voisin aboie la nuit', 'fact', ['voisin']],
    ['Le chat du voisin dort sur mon balcon', 'fact', ['voisin']],
  ],
  [
    ['Eva is learning Spanish', 'goal', ['Eva'], ['eva']],
    ['Eva is learning to drive', 'goal', ['Eva'], ['eva']],
  ],
  [
    ['Eva lived in Madrid as a child', 'fact', ['Eva', 'Madrid'], ['eva']],
    ['Eva studied in Oxford', 'fact', ['Eva', 'Oxford'], ['eva']],
  ],
  [
    ['We bought the tickets for Hamlet on 3 May', 'event', ['Hamlet']],
    ['We bought the tickets for Othello on 10 May', 'event', ['Othello']],
  ],
])('%o and %o tell of different things', (before, now) => {
  expect(becomes(short(before), short(now))).toBe('new');
});

it.each<[Short, Short]>([
  [
    ['My physics exam is on 3 June', 'event', ['physics exam']],
    ['The physics exam has been moved to 8 June', 'event', ['physics exam']],
  ],
  [
    ['Réunion de copropriété le 4 mai à 18 h', 'event', ['réunion de copropriété']],
    ['La réunion de copropriété est décalée au 11 mai', 'event', ['réunion de copropriété']],
  ],
  [
    ['Le wifi du bureau : mot de passe lilas17', 'fact', ['wifi', 'bureau']],
    ['Nouveau mot de passe du wifi du bureau : pivoine88', 'fact', ['wifi', 'bureau']],
  ],
  [
    ['We leave for Crete on 4 August', 'event', ['Crete']],
    ['We are leaving for Crete on the 6th instead', 'event', ['Crete']],
  ],
  [
    ['Ma dentiste est le Dr Klein', 'relation', ['Dr Klein'], ['klein']],
    ['Ma nouvelle dentiste est le Dr Ortiz', 'relation', ['Dr Ortiz'], ['ortiz']],
  ],
  [
    ['Je ne mange pas de poisson', 'preference', ['poisson']],
    ['Finalement je mange du poisson maintenant', 'preference', ['poisson']],
  ],
  [
    ['I drink two coffees a day', 'preference', ['coffee']],
    ["I don't drink coffee anymore", 'preference', ['coffee']],
  ],
  [
    ['Yoga class is on Tuesdays at 7', 'fact', ['Yoga class']],
    ['Yoga class moves to Wednesdays at 7', 'fact', ['Yoga class']],
  ],
  [
    ['Piscine : cours le mardi à 17 h', 'fact', ['piscine']],
    ['Le cours de piscine passe au jeudi à 17 h', 'fact', ['piscine']],
  ],
  [
    ['The rent is 900 euros', 'fact', ['rent']],
    ['The rent goes up to 950 euros in January', 'fact', ['rent']],
  ],
  [
    ['Lunch with Nora on Friday at noon', 'event', ['Nora'], ['nora']],
    ['Lunch with Nora is cancelled', 'event', ['Nora'], ['nora']],
  ],
  [
    ['On part en Corse le 3 août', 'event', ['Corse']],
    ['On ne part plus en Corse', 'event', ['Corse']],
  ],
  [
    ['On a choisi le carrelage gris pour la salle de bains', 'decision', ['salle de bains']],
    ['Finalement ce sera du carrelage bleu pour la salle de bains', 'decision', ['salle de bains']],
  ],
  [
    ['The team uses Jira', 'decision', ['team']],
    ['The team has switched to Linear', 'decision', ['team']],
  ],
])('%o and %o tell of a change', (before, now) => {
  expect(becomes(short(before), short(now))).toBe('successor');
});

it.each<[Short, Short]>([
  [
    ['Léa adore les épinards', 'preference', ['Léa', 'épinards'], ['lea']],
    ['Léa déteste les épinards', 'preference', ['Léa', 'épinards'], ['lea']],
  ],
  [
    ['The shop opens on Sundays', 'fact', ['shop']],
    ["The shop doesn't open on Sundays", 'fact', ['shop']],
  ],
  [
    ['Mon plat préféré est la raclette', 'preference', ['raclette']],
    ["Mon plat préféré c'est le couscous", 'preference', ['couscous']],
  ],
  [
    ['Les chiens sont interdits dans le parc', 'fact', ['parc']],
    ['Les chiens sont autorisés dans le parc', 'fact', ['parc']],
  ],
  [
    ['Le restaurant est fermé le lundi', 'fact', ['restaurant']],
    ["Le restaurant n'est pas fermé le lundi", 'fact', ['restaurant']],
  ],
  [
    ['Tom can swim', 'fact', ['Tom'], ['tom']],
    ["Tom can't swim", 'fact', ['Tom'], ['tom']],
  ],
  [
    ['I like coriander', 'preference', ['coriander']],
    ["I can't stand coriander", 'preference', ['coriander']],
  ],
])('%o and %o contradict one another', (before, now) => {
  expect(becomes(short(before), short(now))).toBe('contradiction');
});

it.each<[Short, Short]>([
  [
    ['I broke my wrist', 'event', []],
    ['I broke my left wrist on 3 May skateboarding', 'event', []],
  ],
  [
    ['Tom a un nouveau travail', 'event', ['Tom'], ['tom']],
    ['Tom a un nouveau travail à la mairie de Pau depuis lundi', 'event', ['Tom', 'mairie de Pau'], ['tom']],
  ],
  [
    ['We are getting a puppy', 'event', ['puppy']],
    ['The puppy is a border collie, we pick her up on 12 April', 'event', ['puppy']],
  ],
  [
    ['Je fais du yoga', 'fact', ['yoga']],
    ['Je fais du yoga le jeudi soir à la MJC', 'fact', ['yoga', 'MJC']],
  ],
  [
    ['Emma is expecting', 'event', ['Emma'], ['emma']],
    ['Emma is expecting a boy in October', 'event', ['Emma'], ['emma']],
  ],
  [
    ["J'ai une réunion demain", 'event', ['réunion']],
    ["J'ai une réunion demain à 15 h avec Sodexo", 'event', ['réunion', 'Sodexo']],
  ],
  [
    ["Il s'est cassé l'épaule", 'fact', []],
    ["Il s'est cassé l'épaule le 10 janvier 2026 en tombant de vélo", 'fact', []],
  ],
  [
    ['We adopted a kitten', 'event', ['kitten']],
    ['our kitten is called Miso and she is ten weeks old', 'event', ['kitten', 'Miso']],
  ],
  [
    ['Dad had surgery', 'event', ['Dad'], ['father']],
    ['Dad had heart surgery in 2019 at Papworth', 'event', ['Dad', 'Papworth'], ['father']],
  ],
  [
    ['Nous partons en vacances en Italie', 'event', ['Italie']],
    ['Nous partons en vacances en Italie du 3 au 17 août, à Lucques', 'event', ['Italie', 'Lucques']],
  ],
  [
    ['Zoé a déménagé', 'event', ['Zoé'], ['zoe']],
    ['Zoé a déménagé parce que son loyer avait doublé', 'event', ['Zoé'], ['zoe']],
  ],
])('%o and %o tell the same, the later one more of it', (before, now) => {
  expect(becomes(short(before), short(now))).toBe('refinement');
});

it.each<[Short, Short]>([
  [
    ['Ma sœur est végétarienne', 'preference', ['sœur'], ['sister']],
    ['Ma sœur est toujours végétarienne', 'preference', ['sœur'], ['sister']],
  ],
  [
    ['I play the guitar', 'fact', ['guitar']],
    ["I'm a guitar player", 'fact', ['guitar']],
  ],
  [
    ['La réunion est mardi à 14 h', 'event', ['réunion']],
    ["Mardi à 14 h, c'est la réunion", 'event', ['réunion']],
  ],
  [
    ['Luc does not eat gluten', 'preference', ['Luc'], ['luc']],
    ["Luc doesn't eat gluten", 'preference', ['Luc'], ['luc']],
  ],
  [
    ['Our wifi password is bluebell42', 'fact', ['wifi']],
    ['the wifi password is bluebell42', 'fact', ['wifi']],
  ],
  [
    ['Je déteste les réunions le lundi', 'preference', ['réunions']],
    ["Je n'aime pas les réunions le lundi", 'preference', ['réunions']],
  ],
  [
    ["I don't like olives", 'preference', ['olives']],
    ['I hate olives', 'preference', ['olives']],
  ],
  [
    ["Notre chat s'appelle Figaro", 'relation', ['Figaro']],
    ["Figaro, c'est le nom de notre chat", 'relation', ['Figaro']],
  ],
  [
    ['The meeting is at 3pm on Friday', 'event', ['meeting']],
    ['Friday 3pm for the meeting', 'event', ['meeting']],
  ],
  [
    ['Je ne supporte pas le bruit', 'preference', ['bruit']],
    ["J'ai horreur du bruit", 'preference', ['bruit']],
  ],
])('%o and %o say the same', (before, now) => {
  expect(becomes(short(before), short(now))).toBe('same');
});

type Stated = [
  content: string,
  kind: FactKind,
  subjects: string[],
  people: string[],
  key: string,
  value: string,
];
const stated = ([content, kind, subjects, people, key, value]: Stated): Said => ({
  content,
  kind,
  subjects,
  people,
  states: [key, value],
});

it.each<[string, Stated, Stated]>([
  [
    'successor',
    ["J'habite à Lyon", 'identity', ['Lyon'], [], 'user.home', 'Lyon'],
    ["J'habite à Grenoble depuis mars", 'identity', ['Grenoble'], [], 'user.home', 'Grenoble'],
  ],
  [
    'same',
    ["J'habite à Lyon", 'identity', ['Lyon'], [], 'user.home', 'Lyon'],
    ['je vis toujours à lyon', 'identity', ['lyon'], [], 'user.home', 'lyon'],
  ],
  [
    'refinement',
    ["J'habite à Lyon", 'identity', ['Lyon'], [], 'user.home', 'Lyon'],
    [
      "J'habite à Lyon, dans le 7e, rue Garibaldi",
      'identity',
      ['Lyon'],
      [],
      'user.home',
      'Lyon, dans le 7e, rue Garibaldi',
    ],
  ],
  [
    'successor',
    ['I work for Ikea', 'identity', ['Ikea'], [], 'user.employer', 'Ikea'],
    ['I work for Lidl', 'identity', ['Lidl'], [], 'user.employer', 'Lidl'],
  ],
  [
    'refinement',
    ['I work for Ikea', 'identity', ['Ikea'], [], 'user.employer', 'Ikea'],
    [
      "I've worked for Ikea since 2014, in the Leeds store",
      'identity',
      ['Ikea', 'Leeds'],
      [],
      'user.employer',
      'Ikea since 2014, in the Leeds store',
    ],
  ],
  [
    'refinement',
    [
      'Mon frère travaille dans une banque',
      'relation',
      ['frère'],
      ['brother'],
      'person:brother.employer',
      'une banque',
    ],
    [
      'Mon frère travaille à la BNP de Tours',
      'relation',
      ['frère', 'BNP'],
      ['brother'],
      'person:brother.employer',
      'BNP de Tours',
    ],
  ],
  [
    'successor',
    ['My sister is a nurse', 'relation', ['sister'], ['sister'], 'person:sister.job', 'nurse'],
    ['My sister is a teacher', 'relation', ['sister'], ['sister'], 'person:sister.job', 'teacher'],
  ],
  [
    'refinement',
    ['My sister is a nurse', 'relation', ['sister'], ['sister'], 'person:sister.job', 'nurse'],
    [
      'My sister is an intensive care nurse at Leeds General',
      'relation',
      ['sister'],
      ['sister'],
      'person:sister.job',
      'intensive care nurse at Leeds General',
    ],
  ],
  [
    'same',
    ['My sister is a nurse', 'relation', ['sister'], ['sister'], 'person:sister.job', 'nurse'],
    ['Ma sœur est infirmière', 'relation', ['sœur'], ['sister'], 'person:sister.job', 'infirmière'],
  ],
  [
    'successor',
    ["J'ai 41 ans", 'identity', [], [], 'user.age', '41 ans'],
    ["J'ai 42 ans aujourd'hui", 'identity', [], [], 'user.age', '42 ans'],
  ],
  [
    'same',
    ["J'ai 41 ans", 'identity', [], [], 'user.age', '41 ans'],
    ['Du haut de mes 41 ans', 'identity', [], [], 'user.age', '41 ans'],
  ],
  [
    'successor',
    ['My birthday is 4 May', 'identity', [], [], 'user.birthday', '4 May'],
    ['My birthday is 14 May', 'identity', [], [], 'user.birthday', '14 May'],
  ],
  [
    'same',
    ['My birthday is 4 May', 'identity', [], [], 'user.birthday', '4 May'],
    ["my birthday's on May 4th", 'identity', [], [], 'user.birthday', 'May 4th'],
  ],
  [
    'refinement',
    ['Mon anniversaire est en mai', 'identity', [], [], 'user.birthday', 'mai'],
    ['Mon anniversaire est le 4 mai', 'identity', [], [], 'user.birthday', '4 mai'],
  ],
  [
    'successor',
    ['Mon numéro est le 06 12 34 56 78', 'identity', [], [], 'user.phone', '06 12 34 56 78'],
    ['Mon numéro est le 06 12 34 56 79', 'identity', [], [], 'user.phone', '06 12 34 56 79'],
  ],
  [
    'same',
    ['Mon numéro est le 06 12 34 56 78', 'identity', [], [], 'user.phone', '06 12 34 56 78'],
    ['mon portable : 06.12.34.56.78', 'identity', [], [], 'user.phone', '06.12.34.56.78'],
  ],
  [
    'refinement',
    ["Je m'appelle Camille", 'identity', ['Camille'], [], 'user.name', 'Camille'],
    ["Je m'appelle Camille Perrot", 'identity', ['Camille Perrot'], [], 'user.name', 'Camille Perrot'],
  ],
  [
    'same',
    ["Je m'appelle Camille", 'identity', ['Camille'], [], 'user.name', 'Camille'],
    ["Moi c'est Camille", 'identity', ['Camille'], [], 'user.name', 'Camille'],
  ],
  [
    'successor',
    ['Je sors avec Lola', 'relation', ['Lola'], [], 'user.partner', 'Lola'],
    ['Je sors avec Inès', 'relation', ['Inès'], [], 'user.partner', 'Inès'],
  ],
  [
    'same',
    ["Ma femme s'appelle Anne", 'relation', ['Anne'], ['anne'], 'user.partner', 'Anne'],
    ['Anne est ma femme', 'relation', ['Anne'], ['anne'], 'user.partner', 'Anne'],
  ],
  [
    'successor',
    ['Je suis au chômage', 'identity', [], [], 'user.job', 'au chômage'],
    ["J'ai trouvé un poste de comptable", 'identity', [], [], 'user.job', 'comptable'],
  ],
  [
    'successor',
    ['I am a student', 'identity', [], [], 'user.job', 'student'],
    ['I graduated, I am a junior architect', 'identity', [], [], 'user.job', 'junior architect'],
  ],
  [
    'successor',
    ['I live with my parents in Hull', 'identity', ['Hull'], [], 'user.home', 'with my parents in Hull'],
    ['I got my own flat in York', 'identity', ['York'], [], 'user.home', 'my own flat in York'],
  ],
  [
    'refinement',
    ["J'habite à la campagne", 'identity', [], [], 'user.home', 'à la campagne'],
    [
      "J'habite à Vézac, en Dordogne",
      'identity',
      ['Vézac', 'Dordogne'],
      [],
      'user.home',
      'Vézac, en Dordogne',
    ],
  ],
  [
    'refinement',
    ['I live in France', 'identity', ['France'], [], 'user.home', 'France'],
    ['I live in Nantes, France', 'identity', ['Nantes', 'France'], [], 'user.home', 'Nantes, France'],
  ],
  [
    'same',
    ['I live in Nantes, France', 'identity', ['Nantes', 'France'], [], 'user.home', 'Nantes, France'],
    ['I live in France', 'identity', ['France'], [], 'user.home', 'France'],
  ],
  [
    'successor',
    ['Mon mail : a.b@free.fr', 'identity', [], [], 'user.email', 'a.b@free.fr'],
    ['Mon mail est maintenant a.b@proton.me', 'identity', [], [], 'user.email', 'a.b@proton.me'],
  ],
])('of one relation a statement is %s: %o, then %o', (is, before, now) => {
  expect(becomes(stated(before), stated(now))).toBe(is);
});
