import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** What a question tries. */
export type TalkQuestionKind =
  | 'single fact'
  | 'several turns'
  | 'when'
  | 'follow-up'
  | 'name'
  | 'paraphrase'
  | 'dated'
  | 'across languages';

export interface TalkQuestion {
  id: string;
  kind: TalkQuestionKind;
  text: string;
  /** What was asked just before, for a follow-up. */
  after?: string;
  /** Ids of the turns that answer it, each of which counts. */
  evidence: string[];
}

/** Months of talk between two people, written by hand before anything was tuned on it. */
export interface TalkDialogue {
  id: string;
  language: 'fr' | 'en';
  people: string[];
  /** When the questions are asked, ISO: it decides what "in March" means. */
  askedAt: string;
  /** `at` is ISO; turns follow each other by a minute. */
  sessions: { at: string; turns: { id: string; author: string; text: string }[] }[];
  questions: TalkQuestion[];
}

/** What is asked right behind another question, and is understood only with it. */
export interface FollowUp {
  after: string;
  text: string;
  /** Ids of the turns that answer it, each of which counts. */
  evidence: string[];
}

/** A question that nothing answers in a vault of the shared data or in a dialogue, named by `of`. */
export interface Unanswerable {
  of: string;
  text: string;
}

const FOLDER = new URL('./', import.meta.url);
const readJson = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as T;

export type SmallTalk = Record<'fr' | 'en', string[]>;

/** Messages that ask for nothing: those to tune on, and others, written once what they measure was done. */
export const readSmallTalk = (): Record<'tune' | 'report', SmallTalk> => readJson('smallTalk.json');
/** By the id of the dialogue that they are about. */
export const readFollowUps = (): Record<string, FollowUp[]> => readJson('followUps.json');
export const readUnanswerable = (): Unanswerable[] => readJson('unanswerable.json');

/**
 * The dialogues of both halves, the one to tune on first. Whole dialogues belong to a half: in each language alternately, in the
 * order of the hashes of their ids; the languages begin with different halves, so that both halves are of one size.
 */
export function readTalk(): [tune: TalkDialogue[], report: TalkDialogue[]] {
  const all = readdirSync(new URL('dialogues/', FOLDER))
    .sort()
    .map((name) => readJson<TalkDialogue>(`dialogues/${name}`));
  const halves: [TalkDialogue[], TalkDialogue[]] = [[], []];
  for (const [first, language] of (['en', 'fr'] as const).entries()) {
    const ofLanguage = all.filter((one) => one.language === language);
    ofLanguage.sort((one, other) => (hashOf(one.id) < hashOf(other.id) ? -1 : 1));
    for (const [place, one] of ofLanguage.entries()) halves[(first + place) % 2 === 0 ? 0 : 1].push(one);
  }
  return halves;
}

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');
