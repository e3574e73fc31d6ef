import { joinVectors, splitVectors } from '../embedding/embedderContract.ts';
import { handOver } from '../support/threadMessages.ts';
import type { Finding, RankedFinding, SourceFindings } from './findings.ts';

/**
 * What a source found, as it crosses a thread: one text and one array take a fraction of the time of the objects that they stand for.
 * Plain data.
 */
export interface PackedFindings {
  /** `SourceFindings` as JSON, with the place of its vector among `vectors` in each finding. */
  json: string;
  /** One vector after another. */
  vectors: Float32Array;
  dimensions: number;
}

type PackedFinding = Omit<Finding, 'vector'> & { vector: number | null };

/** The vectors are copied, and handed over with the message. */
export function packFindings(found: SourceFindings): PackedFindings {
  const vectors: Float32Array[] = [];
  const pack = ({ vector, ...finding }: Finding): PackedFinding => ({
    ...finding,
    vector: vector && vectors.push(vector) - 1,
  });
  const packed =
    'items' in found
      ? { ...found, items: found.items.map((one) => ({ ...one, finding: pack(one.finding) })) }
      : found;
  const json = JSON.stringify(packed);
  return { json, vectors: handOver(joinVectors(vectors)), dimensions: vectors[0]?.length ?? 1 };
}

export function unpackFindings({ json, vectors, dimensions }: PackedFindings): SourceFindings {
  const found = JSON.parse(json) as SourceFindings;
  if (!('items' in found)) return found;
  const byPlace = splitVectors(vectors, dimensions);
  const unpack = ({ finding, ...scores }: RankedFinding): RankedFinding => {
    const { vector, ...rest } = finding as unknown as PackedFinding;
    return { finding: { ...rest, vector: vector === null ? null : (byPlace[vector] ?? null) }, ...scores };
  };
  return { ...found, items: found.items.map(unpack) };
}
