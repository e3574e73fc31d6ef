import { describe, expect, it } from 'vitest';
import { foldedWords } from '../../support/text/tokenise.ts';
import { findStatements } from './findStatements.ts';
import type { Mention } from './statement.ts';

// Monday 2 March 2026, in the morning.
const at = new Date(2026, 2, 2, 9, 15).getTime();
const learnt = (message: string) =>
  findStatements(message, at).map(({ content, states }) =>
    states ? [content, `${entityOf(states.of)}.${states.relation}`, states.value] : [content],
  );

const entityOf = (of: Mention): string => {
  if (of.entity === 'user') return 'user';
  const given = of.name === null ? '' : foldedWords(of.name.split(/\s+/)[0] ?? '').replaceAll(' ', '-');
  return `person:${given || of.kinship}`;
};

describe('findStatements finds', () => {
  it.each([
    ['Souviens-toi que le code du portail est 4812. Merci.', [['Le code du portail est 4812']]],
    ['Au fait, n’oublie pas que Inès part lundi', [['Inès part lundi']]],
    ['Please remember that the boiler is serviced in September.', [['The boiler is serviced in September']]],
    [
      'Bonjour, je m’appelle Mickael Duval et j’habite à Ordizan.',
      [
        ['Je m’appelle Mickael Duval', 'user.name', 'Mickael Duval'],
        ['J’habite à Ordizan', 'user.home', 'Ordizan'],
      ],
    ],
    [
      'My name is Ana. My sister lives in New York.',
      [
        ['My name is Ana', 'user.name', 'Ana'],
        ['My sister lives in New York', 'person:sister.home', 'New York'],
      ],
    ],
    ['J’habite à Nantes depuis 2019', [['J’habite à Nantes depuis 2019', 'user.home', 'Nantes']]],
    ['I’m allergic to nuts', [['I’m allergic to nuts']]],
    ['Mon patron s’appelle Luc', [['Mon patron s’appelle Luc']]],
    [
      'En fait David a déménagé à Toulouse, il ne supportait plus la campagne.',
      [['David a déménagé à Toulouse, il ne supportait plus la campagne', 'person:david.home', 'Toulouse']],
    ],
    ['jhabite a lyon avec ma copine', [['Jhabite a lyon avec ma copine', 'user.home', 'lyon']]],
    ['im vegan since 2018', [['Im vegan since 2018']]],
    [
      'mon frere david habite a toulouse',
      [['Mon frere david habite a toulouse', 'person:david.home', 'toulouse']],
    ],
    [
      'My brother Tom lives in Leeds and works at Lotus',
      [
        ['My brother Tom lives in Leeds', 'person:tom.home', 'Leeds'],
        ['My brother Tom works at Lotus', 'person:tom.employer', 'Lotus'],
      ],
    ],
    [
      'My wife is called Ana and she’s a vet',
      [
        ['My wife is called Ana', 'user.partner', 'Ana'],
        ['Ana’s a vet', 'person:ana.job', 'vet'],
      ],
    ],
    ['Ma sœur est allergique aux noix, tu as une recette ?', [['Ma sœur est allergique aux noix']]],
    ['Can you remember that my locker number is 212?', [['My locker number is 212']]],
    [
      'Je suis en arrêt jusqu’à vendredi car je me suis cassé le poignet',
      [['Je suis en arrêt jusqu’à vendredi car je me suis cassé le poignet']],
    ],
    [
      'Je fais de la poterie le mardi soir, les outils coûtent cher ?',
      [['Je fais de la poterie le mardi soir']],
    ],
    [
      'J’ai retrouvé l’ordonnance : je suis allergique à l’amoxicilline',
      [['Je suis allergique à l’amoxicilline']],
    ],
    ['I share my flat with a cat, so no lilies please.', [['I share my flat with a cat']]],
    [
      'Léa a rendu son appartement et s’est installée à Chaumont chez ma cousine',
      [
        [
          'Léa a rendu son appartement et s’est installée à Chaumont chez ma cousine',
          'person:lea.home',
          'Chaumont',
        ],
      ],
    ],
    [
      'I changed my name, I’m Juno Ashdown now',
      [['I changed my name, I’m Juno Ashdown now', 'user.name', 'Juno Ashdown']],
    ],
    ['My sister told me she is moving to Lyon in May', [['My sister told me she is moving to Lyon in May']]],
  ])('in %j', (message, found) => {
    expect(learnt(message)).toEqual(found);
  });

  it('other names', () => {
    expect(findStatements('dev s’appelle en réalité Mickael', at)).toMatchObject([
      { alias: { name: 'dev', of: 'Mickael' }, subjects: ['Mickael', 'dev'] },
    ]);
  });

  it('whom and what a request names', () => {
    expect(findStatements('Souviens-toi que mon frère David habite à Ordizan', at)).toMatchObject([
      {
        content: 'Mon frère David habite à Ordizan',
        kind: 'relation',
        subjects: ['David', 'Ordizan'],
        mentions: [{ entity: 'person', name: 'David', kinship: 'brother' }],
        isAsked: true,
      },
    ]);
  });

  it('until when it holds', () => {
    const [statement] = findStatements('I’m on call until Friday', at);
    expect(statement?.expiresAt).toBe(new Date(2026, 2, 7).getTime());
  });
});

describe('a time in a statement', () => {
  it.each([
    'Notre loyer passe à 662 euros ce mois-ci',
    'Our rent goes up to 662 pounds this month',
    'I take up to 20 mg of amlodipine',
    'My sister’s car seats up to 7 people',
  ])('that says from when on, or how much, is no end, in %j', (message) => {
    expect(findStatements(message, at)).toMatchObject([{ expiresAt: null }]);
  });

  it('is the end of what holds for so long', () => {
    const [statement] = findStatements('Ma mère dort chez nous ce mois-ci', at);
    expect(statement?.expiresAt).toBe(new Date(2026, 3, 1).getTime());
  });

  it('leaves a choice no home', () => {
    expect(findStatements('We settled on Cornwall for the holiday in May', at)).toMatchObject([
      { states: null },
    ]);
  });
});

describe('findStatements learns nothing from what is not the user’s own', () => {
  it.each([
    // Letters to and from others, and texts that come with what to do about them.
    'Bonjour Hélène, ta réunion du 4 mars à Lille est confirmée. Je pars à Metz lundi. Bises, Karim',
    'Hi Helen, I live in Lille now and my sister moves in on 4 March. Love, Karim - what do I reply?',
    'Lettre à relire. Monsieur, je réside à Cholet depuis 2012 et je suis père de trois enfants.',
    'Letter to check. Sir, I have lived in Crewe since 2012 and I am a father of three.',
    'Réunion équipe Nord : Claire reprend le dossier Tannerie, Yann part le 30 avril. Résume en 2 lignes',
    'Personne A : je travaille de nuit. Personne B : j’ai trois chats. Continue le dialogue',
    'Shopping list: 6 yoghurts, 2 kg of apples, coffee. What is missing for a crumble?',
    'tell her I love her, I’ll be in Rome on the 3rd and I kept her letter',
    // Parts that are played, and what is made up or said in jest.
    'Tu es mon banquier. Moi, je suis Gérard, retraité, et je veux emprunter 20 000 euros.',
    'On va simuler un appel : je suis client chez vous depuis 2008 et ma box est en panne depuis lundi.',
    'We’re going to rehearse a call: I’ve been a customer since 2008 and my router is dead.',
    'For drama class I’m Scrooge, I have a nephew called Fred and I hate Christmas.',
    'My imaginary friend is called Gaston and he’s 400',
    'I’m Batman and I live in a cave, obviously.',
    // What nobody in particular says, and what is asked to be confirmed.
    'Quelqu’un m’a raconté que le maire avait vendu sa maison 600 000 euros',
    'The Edinburgh festival starts on 7 August this year, doesn’t it?',
    'My SQL query takes 12 seconds on the orders of May',
    'Keep it dignified, not filmi.',
    // The news, sport, and people whom everybody knows by what they are.
    'La juge Abravanel rend sa décision le 14 mars dans l’affaire du barrage.',
    'Le préfet du Morbihan a signé l’arrêté hier à 18 h.',
    'The G7 summit is in Evian in June.',
    // Cases of somebody's work, forms, subtitles, letters and labels.
    'My client, a self-employed roofer, got a penalty of £1,240 for 2023. How long has he got to appeal?',
    'Un adhérent du club veut une attestation, il a payé 180 € en septembre. Tu me fais le texte ?',
    'Fill in the gaps: 1. I ___ 15 years old. 2. We ___ from Dublin.',
    '[Whisper] 00:04:12 Oui moi je suis d’Amiens, et mon mari il est de Lens.',
    'What would you change?\n\nDear Sir or Madam,\nI hold an AAT level 3 and live in Wakefield.',
    'Horoscope bidon à écrire : Bélier, votre patron part à Lyon mardi.',
    'Our galaxy has more than a hundred billion stars.',
    // Hearsay, sums, and parts in a novel.
    'My neighbour claims the postman is married to a countess.',
    'Ma voisine prétend que le facteur est marié à une comtesse.',
    'Jean-Pierre et Nicole ont deux enfants, combien de parts fiscales ?',
    'Mon copain de roman, Gatsby, habite à West Egg et donne des fêtes le samedi.',
    'Et moi je suis le roi de Prusse, évidemment',
    // Texts that a label announces.
    'Offre d’emploi : comptable H/F, CDI, Angers, 32 k€, 5 ans d’expérience. Je postule ou pas ?',
    'Dictation: My uncle owns a farm near Ely, he keeps geese.',
    'De : Sophie. Objet : congés. Je serai absente du 3 au 7 mars, contactez Julien au 4512.',
    // What holds for minutes.
    'On mange dans dix minutes, fais vite',
    'We’re eating in ten minutes so be quick',
  ])('in %j', (message) => {
    expect(learnt(message)).toEqual([]);
  });
});

describe('findStatements tells what is near the user from the world', () => {
  it.each([
    // At home, in diaries and papers, an article alone says whose it is.
    'Le code du portail de la résidence, c’est 4417B',
    'The code for the campsite barrier is 5519',
    'La chambre de Margot est peinte en jaune',
    'Le plombier Marchetti passe mardi à 9 h pour la fuite',
    'Le loto de l’école se tiendra à la salle des fêtes de Mézin',
    'Mon code postal est 31000',
    // Instruments that are played, seasons and a flat of one’s own are no story.
    'I play the bassoon in the Ely orchestra',
    'Je joue le deuxième concerto de Rachmaninov à Annecy le 19 juin',
    'My birthday is on 29 February, yes yes, the usual joke',
    'Edmée m’a légué son piano',
  ])('in %j', (message) => {
    expect(learnt(message)).toHaveLength(1);
  });

  it.each([['My manager is called Priya Nair. Shorten this for her?', 'My manager is called Priya Nair']])(
    'in %j',
    (message, content) => {
      expect(learnt(message).map(([first]) => first)).toEqual([content]);
    },
  );
});

describe('findStatements needs to know whose name it is where nothing else ties it to the user', () => {
  it.each([
    ['Robin adore l’escrime', 'Robin adore l’escrime'],
    ['Ah si, Bertrand a fini son puzzle.', 'Bertrand a fini son puzzle'],
  ])('in %j', (message, content) => {
    const of = (isKnownName: () => boolean) =>
      findStatements(message, at, { isKnownName }).map((one) => one.content);
    expect(of(() => true)).toEqual([content]);
    expect(of(() => false)).toEqual([]);
  });

  it('and takes less evidence where it is asked to', () => {
    const message = 'Robin adore l’escrime';
    expect(findStatements(message, at, { lacking: 0.8 })).toHaveLength(1);
  });
});

describe('findStatements reads other names', () => {
  it.each([
    ['Shiv = Siobhan, if you see it in my notes.', 'Shiv', 'Siobhan'],
    ['à la maison on dit Sacha pour parler d’Alexandre', 'Sacha', 'Alexandre'],
  ])('in %j', (message, name, of) => {
    expect(findStatements(message, at)).toMatchObject([{ alias: { name, of } }]);
  });

  it('but no assignment of a program', () => {
    expect(learnt('NAME = "Lucie"')).toEqual([]);
    expect(learnt('what is wrong with city = Derby')).toEqual([]);
  });
});

describe('what is asked for is found', () => {
  it.each([
    ['Souviens-toi que le code PUK de ma SIM c’est 38201947.', 'Le code PUK de ma SIM c’est 38201947'],
    [
      'Souviens-toi surtout que mes vendanges commencent le 14 septembre.',
      'Mes vendanges commencent le 14 septembre',
    ],
    ['Merci de noter que nos réunions tombent le mardi.', 'Nos réunions tombent le mardi'],
    ['N’oublie pas, c’est important : Basile a peur des clowns.', 'Basile a peur des clowns'],
    ['Souviens-toi que je signe toujours « N. A. ».', 'Je signe toujours « N. A. »'],
    ['Note for later: Ahmed at the garage is the honest one.', 'Ahmed at the garage is the honest one'],
    [
      'Don’t let me forget that the deposit has to be paid before 15 May.',
      'The deposit has to be paid before 15 May',
    ],
    ['Keep it in mind: I don’t want any more talk of diets.', 'I don’t want any more talk of diets'],
    ['Remember also that I’m in Hobart.', 'I’m in Hobart'],
    [
      'Don’t forget that it’s Mr Hakimi who holds our power of attorney now.',
      'It’s Mr Hakimi who holds our power of attorney now',
    ],
  ])('in %j', (message, content) => {
    expect(learnt(message).map(([first]) => first)).toEqual([content]);
  });
});

describe('what its author states plainly is found, whatever comes behind', () => {
  it.each([
    ['Je m’appelle Nadia. Souviens-toi que la voiture est chez le garagiste.', 'Je m’appelle Nadia'],
    ['Je m’appelle Ana. Ma vieille charrette craque.', 'Je m’appelle Ana'],
    ['I live in Nantes. Continue in English.', 'I live in Nantes'],
  ])('in %j', (message, content) => {
    expect(learnt(message)[0]?.[0]).toBe(content);
  });
});

describe('an order about something else leaves alone what stands before it', () => {
  it.each([
    ['J’habite à Nantes. Continue en anglais.', 'J’habite à Nantes'],
    ['I’m allergic to nuts. Translate the menu.', 'I’m allergic to nuts'],
  ])('in %j', (message, content) => {
    expect(learnt(message).map(([first]) => first)).toEqual([content]);
  });
});

describe('a statement takes along', () => {
  it.each([
    [
      'Ma sœur Inès sait nager, elle a appris à Arcachon.',
      'Ma sœur Inès sait nager, elle a appris à Arcachon',
    ],
    [
      'Notre chienne est un épagneul, elle s’appelle Tisane',
      'Notre chienne est un épagneul, elle s’appelle Tisane',
    ],
  ])('what a pronoun in it stands for, in %j', (message, content) => {
    expect(learnt(message).map(([first]) => first)).toEqual([content]);
  });
});

describe('findStatements finds nothing', () => {
  it.each([
    'Quel est le code du portail ?',
    'Tu te souviens que nous avons parlé ?',
    'Comment je m’appelle ?',
    'Is my name is Ana?',
    'Je note que rien ne change pas',
    'What did I ask you to remember?',
    'what’s my brother’s name',
    'Est-ce que j’habite à Lyon et travaille à Paris ?',
    'Dans le film il dit : « je m’appelle Bernard »',
    'Paul m’a dit "j’habite à Rome"',
    'Si j’habite à Paris un jour, j’achèterai un vélo',
    'If I were a vegetarian I would eat more beans',
    'J’aimerais habiter à Paris',
    'traduis : je m’appelle Anna',
    'Correct this sentence: I lives in Paris',
    'imagine que tu es un pirate et que je m’appelle Bob',
    'Let’s pretend I live on a boat. I work as a captain.',
    'Victor Hugo habitait à Guernesey',
    'my character lives in Neverwinter',
    'il paraît que Marc déménage à Lille',
    'j’ai faim',
    'je suis mort de rire',
    'I’m tired today',
    'Python is a great language',
    'On mange mieux à la campagne',
    'Oublie que j’habite à Nantes',
    'goats live about 15 years and have their kids in spring',
    'Un train part de Lille à 8 h, un autre part de Lyon à 9 h. Quand se croisent-ils ?',
    'Chopin lived at Nohant in the summers, didn’t he?',
    'Dans Germinal, Étienne est embauché à la fosse. J’ai bon ?',
    'Someone online claims that the singer has quit and keeps alpacas',
    'Quiz me on osmosis',
    'I love this version, keep it!',
    'Oh sure, I’m the Queen of Sheba',
    '> Je m’appelle Bernard',
    'La tour Eiffel mesure 330 mètres',
    'Le TGV met deux heures de Paris à Lyon',
    'The Great Wall is 21,000 km long',
    'Le parachutiste Quenouillard apprivoise des ornithorynques à Wattwiller',
    '```\nmy name is Bob\n```',
    'De : Paul\nObjet : congés\n\nJe m’appelle Paul et j’habite à Lyon.',
  ])('in %j', (message) => {
    expect(learnt(message)).toEqual([]);
  });
});

describe('findStatements, after earlier messages', () => {
  const learntAfter = (before: readonly string[], message: string) =>
    findStatements(message, at, { before }).map(({ content }) => content);

  it.each([
    ['On fait un jeu de rôle : tu es le gardien et moi un détenu.', 'Ma sœur habite à Cayenne.'],
    ['Let’s pretend we’re pirates. You start.', 'My brother Ambrose lives in Tortuga.'],
    ['Dans mon roman, l’héroïne vit dans un phare.', 'Clarisse a 32 ans et travaille à Saint-Malo.'],
  ])('finds nothing in a game or a story that %j began', (opening, message) => {
    expect(learntAfter([opening], message)).toEqual([]);
    expect(learntAfter([opening, 'Continue !'], message)).toEqual([]);
  });

  it.each([
    ['that the user ended', ['Jouons aux pirates.', 'Stop, fin du jeu.'], 'Ma sœur habite à Cayenne'],
    ['that was a mere supposition', ['Suppose I win the lottery, what then?'], 'My sister lives in Leeds'],
    ['that gave a way to answer', ['Tu es un expert en droit. Réponds court.'], 'Ma sœur habite à Cayenne'],
  ])('finds what is stated after a game %s', (_, before, message) => {
    expect(learntAfter(before, message)).toEqual([message]);
  });

  it('finds in a game what is asked to be remembered', () => {
    const before = ['Jouons aux pirates.'];
    expect(learntAfter(before, 'Retiens que ma sœur habite à Cayenne')).toEqual(['Ma sœur habite à Cayenne']);
  });
});
