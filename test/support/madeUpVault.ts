import { seeded } from './seeded.ts';

/** Generated notes of a personal life, in French and English, the same for the same seed: a path and Markdown for each. */
export function madeUpNotes(count: number, seed = 11): Record<string, string> {
  const random = seeded(seed);
  const notes: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    const language = LANGUAGES[random() < 0.6 ? 'fr' : 'en'];
    const subject = pick(language.subjects, random);
    const title = `${subject} ${pick(language.places, random)} ${2019 + Math.floor(random() * 7)}`;
    const sections = Array.from({ length: 2 + Math.floor(random() * 3) }, () => {
      const heading = pick(language.headings, random);
      const sentences = Array.from({ length: 3 + Math.floor(random() * 6) }, () =>
        language.sentence({
          subject: subject.toLowerCase(),
          heading: heading.toLowerCase(),
          person: pick(PEOPLE, random),
          figure: String(2 + Math.floor(random() * 480)),
          month: pick(language.months, random),
          detail: pick(language.details, random),
          form: Math.floor(random() * 5),
        }),
      );
      return `## ${heading}\n\n${sentences.join(' ')}`;
    });
    notes[`${title} ${index}.md`] = `# ${title}\n\n${sections.join('\n\n')}\n`;
  }
  return notes;
}

/**
 * Generated questions of one conversation: most are about the same note as the one before or a neighbouring note, some name
 * nothing, and some return to an earlier note.
 */
export function conversationAbout(
  notes: Readonly<Record<string, string>>,
  length: number,
  seed = 5,
): string[] {
  const random = seeded(seed);
  const topics = Object.entries(notes).flatMap(([path, text]) =>
    [...text.matchAll(/^#{1,3} +(.{3,80})$/gm)].map(([, heading = '']) => ({
      note: path.replace(/^.*\/|\.md$/g, ''),
      heading: heading.replaceAll(/[*_`[\]]/g, '').trim(),
    })),
  );
  const asked: number[] = [];
  return Array.from({ length }, () => {
    const last = asked.at(-1);
    const kind = random();
    if (last !== undefined && kind < 0.2) return pick(FOLLOW_UPS, random);
    let next = Math.floor(random() * topics.length);
    if (last !== undefined && kind < 0.65)
      next = Math.min(topics.length - 1, last + 1 + Math.floor(random() * 3));
    else if (asked.length > 0 && kind < 0.8) next = pick(asked, random);
    asked.push(next);
    const { note, heading } = topics[next] ?? { note: '', heading: '' };
    return pick(QUESTIONS, random)(heading, note);
  });
}

/** Prose of a reply, 30 to 150 words. */
export function madeUpReply(random: () => number): string {
  return Array.from({ length: 30 + Math.floor(random() * 120) }, () => pick(REPLY_WORDS, random)).join(' ');
}

const pick = <T>(list: readonly T[], random: () => number): T =>
  list[Math.floor(random() * list.length)] as T;

const PEOPLE = ['Martin', 'Léa', 'David', 'Nadia', 'Oscar', 'Mme Brun', 'Tom', 'Inès'];

interface Words {
  subject: string;
  heading: string;
  person: string;
  figure: string;
  month: string;
  detail: string;
  form: number;
}

const LANGUAGES = {
  fr: {
    subjects: [
      'Jardin',
      'Chaudière',
      'Budget',
      'Voyage',
      'Vélo',
      'Cuisine',
      'Chantier',
      'Association',
      'Potager',
      'Lecture',
    ],
    places: ['de la maison', 'du chalet', 'à Ordizan', 'du bureau', 'de Toulouse', 'de l’école'],
    headings: [
      'Entretien',
      'Achats',
      'Calendrier',
      'Contacts',
      'Décisions',
      'Problèmes',
      'Mesures',
      'À faire',
      'Historique',
    ],
    months: ['janvier', 'mars', 'avril', 'juin', 'septembre', 'novembre'],
    details: [
      'la pompe fait du bruit quand il gèle',
      'le devis reste valable trente jours',
      'il faut prévenir les voisins avant de commencer',
      'les semis demandent de la lumière et peu d’eau',
      'la réunion a été repoussée à cause de la grève',
      'la facture est rangée dans le classeur bleu',
    ],
    sentence: ({ subject, heading, person, figure, month, detail, form }: Words) =>
      [
        `En ${month}, ${person} a noté pour ${subject} que ${detail}.`,
        `Le poste « ${heading} » a coûté ${figure} euros, payés par ${person}.`,
        `${person} propose de revoir ${heading} en ${month} : ${detail}.`,
        `On compte ${figure} éléments dans ${subject}, dont la moitié vient de ${person}.`,
        `Attention : ${detail}, surtout après ${month}.`,
      ][form] as string,
  },
  en: {
    subjects: [
      'Garden',
      'Boiler',
      'Budget',
      'Trip',
      'Bicycle',
      'Kitchen',
      'Renovation',
      'Choir',
      'Workshop',
      'Reading',
    ],
    places: ['at home', 'in the cabin', 'in Leeds', 'at the office', 'by the lake', 'for school'],
    headings: [
      'Maintenance',
      'Purchases',
      'Calendar',
      'Contacts',
      'Decisions',
      'Problems',
      'Measurements',
      'To do',
      'History',
    ],
    months: ['January', 'March', 'April', 'June', 'September', 'November'],
    details: [
      'the pump is noisy when it freezes',
      'the quote stays valid for thirty days',
      'the neighbours have to be told before it starts',
      'seedlings want light and little water',
      'the meeting was put off because of the strike',
      'the invoice is in the blue folder',
    ],
    sentence: ({ subject, heading, person, figure, month, detail, form }: Words) =>
      [
        `In ${month} ${person} wrote about the ${subject} that ${detail}.`,
        `The item "${heading}" cost ${figure} pounds, which ${person} paid.`,
        `${person} wants to go over ${heading} again in ${month}: ${detail}.`,
        `There are ${figure} things in the ${subject}, half of them from ${person}.`,
        `Careful: ${detail}, above all after ${month}.`,
      ][form] as string,
  },
};

const QUESTIONS = [
  (heading: string, note: string) => `Que disent mes notes sur « ${heading} » dans ${note} ?`,
  (heading: string, note: string) => `What do my notes say about ${heading} in ${note}?`,
  (heading: string) => `Et pour ${heading} ?`,
  (heading: string, note: string) => `Who was involved in ${note}, under ${heading}?`,
  (heading: string, note: string) => `Combien a coûté ${heading} (${note}) ?`,
];
const FOLLOW_UPS = [
  'Merci.',
  'Résume en deux phrases.',
  'Why?',
  'Et ensuite ?',
  'Are you sure?',
  'Continue.',
];
const REPLY_WORDS =
  'selon vos notes le la de et pour que dans il faut prévoir un devis avant la fin du mois according to the note this was agreed in spring and paid by half une autre solution serait de reporter les travaux'.split(
    ' ',
  );
