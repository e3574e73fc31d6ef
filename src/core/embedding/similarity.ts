import type { Embedder } from './embedder.ts';
import { dot } from './wordVectors.ts';

/** Similarity of two texts, 0 to 1, from the cosine of their vectors: 0.85 is "says the same thing". */
export type Similarity = (cosine: number) => number;

/**
 * A sentence, a paraphrase of it, and a sentence on the same matter that says something else. Cosines of two models cannot be
 * compared (unrelated sentences are at 0 for one and at 0.8 for another), so each embedder is measured with these before it is used.
 */
const PROBES: readonly (readonly [string, string, string])[] = [
  [
    'Le chat dort sur le canapé du salon.',
    'Le chat est endormi sur le canapé.',
    'Le chien mange dans la cuisine.',
  ],
  [
    'Nous partons en vacances la semaine prochaine.',
    'La semaine prochaine, nous allons en vacances.',
    'Nous rentrons de vacances la semaine prochaine.',
  ],
  [
    'Il faut arroser les tomates tous les soirs.',
    'Les tomates doivent être arrosées chaque soir.',
    'Il faut planter les tomates au printemps.',
  ],
  [
    'Je ne bois pas de café après midi.',
    "L'après-midi, je ne prends pas de café.",
    'Je bois du thé le matin.',
  ],
  [
    'La réunion a été reportée à plus tard.',
    'On a repoussé la réunion à plus tard.',
    'La réunion a été très longue.',
  ],
  [
    'Elle apprend à jouer du piano.',
    'Elle prend des leçons pour apprendre le piano.',
    'Elle a vendu son vieux piano.',
  ],
  [
    'Le train est arrivé avec une heure de retard.',
    'Le train avait une heure de retard à son arrivée.',
    'Le train est parti sans nous attendre.',
  ],
  [
    'Le mot de passe du réseau a changé.',
    'On a changé le mot de passe du réseau.',
    'Le réseau est très lent ce matin.',
  ],
  [
    'The meeting was moved to the small room.',
    'They moved the meeting to the small room.',
    'The meeting room has no window.',
  ],
  [
    'I forgot my keys at the office.',
    'My keys are still at the office, I forgot them.',
    'I lost my phone on the train.',
  ],
  [
    'The boiler needs to be serviced every year.',
    'Every year the boiler has to be serviced.',
    'The boiler was replaced last winter.',
  ],
  [
    'She prefers to work early in the morning.',
    'She likes working early in the morning better.',
    'She works late in the evening.',
  ],
  [
    'We should buy bread on the way home.',
    "On the way home, let's buy some bread.",
    'We should bake a cake for the party.',
  ],
  [
    'The report must be finished before the holidays.',
    'We have to finish the report before the holidays.',
    'The report was read by everybody.',
  ],
  [
    'He broke his arm when he fell off his bike.',
    'He fell from his bike and broke his arm.',
    'He bought a new bike for his son.',
  ],
  [
    'The bill for the electricity was paid twice.',
    'We paid the electricity bill twice.',
    'The electricity was cut last night.',
  ],
];

/** What cosines mean for one embedder. */
export interface SimilarityScale {
  /** The cosine of two unrelated texts, which is similarity 0. */
  unrelated: number;
  /** One pair of unrelated texts in twenty has this cosine or a higher one: below it, nothing is known. */
  chance: number;
  /** The cosine of two texts that say the same thing, which is similarity 0.85. */
  same: number;
}

/** Similarity from which two texts say the same thing (section 3 of docs/decisions/0006-vectors.md). */
export const SAME = 0.85;

/**
 * Embeds the probes and returns the embedder's scale. `same` is the first quartile of the cosines of paraphrases, or the third
 * quartile of those on the same matter, whichever is higher; `unrelated` is the median and `chance` the 95th percentile of unrelated
 * pairs (docs/decisions/0006-vectors.md).
 * @throws as `Embedder.embedPassages`
 */
export async function measureSimilarity(
  embedder: Pick<Embedder, 'embedPassages'>,
  signal?: AbortSignal,
): Promise<SimilarityScale> {
  const vectors = await embedder.embedPassages(PROBES.flat(), signal);
  const at = (probe: number, place: 0 | 1 | 2) => vectors[probe * 3 + place] as Float32Array;
  const same = PROBES.map((_, probe) => dot(at(probe, 0), at(probe, 1)));
  const near = PROBES.map((_, probe) => dot(at(probe, 0), at(probe, 2)));
  const unrelated = PROBES.flatMap((_, one) =>
    PROBES.slice(one + 1).map((_unused, offset) => dot(at(one, 0), at(one + 1 + offset, 0))),
  );
  return {
    unrelated: quantile(unrelated, 0.5),
    chance: quantile(unrelated, 0.95),
    same: Math.max(quantile(same, 0.25), quantile(near, 0.75)),
  };
}

/** Similarity by straight lines through (`unrelated`, 0), (`same`, 0.85) and (1, 1). */
export function similarityOn({ unrelated, same }: Pick<SimilarityScale, 'unrelated' | 'same'>): Similarity {
  return (cosine) => {
    if (cosine <= unrelated) return 0;
    if (cosine < same) return (SAME * (cosine - unrelated)) / (same - unrelated);
    return same >= 1 ? 1 : Math.min(1, SAME + ((1 - SAME) * (cosine - same)) / (1 - same));
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
