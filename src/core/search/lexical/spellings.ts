/** A term of the index that is spelled nearly as another one. */
export interface NearSpelling {
  term: string;
  /** Letters that are put in, left out, changed or swapped with their neighbour. */
  edits: number;
}

/** Classes of letters: each of the alphabet, and six for all others. */
const LETTERS = 26;
const OTHER_LETTERS = 6;

/**
 * Finds terms by their spelling. All of them are looked through, most by a signature alone: a bit for each letter that a term holds. An
 * edit changes two bits of it at most.
 */
export class Spellings {
  readonly #terms: string[] = [];
  #signatures = new Uint32Array(1_024);

  /** Adds a term, which is not known yet. */
  add(term: string): void {
    const place = this.#terms.length;
    if (place === this.#signatures.length) {
      const larger = new Uint32Array(place * 2);
      larger.set(this.#signatures);
      this.#signatures = larger;
    }
    this.#terms.push(term);
    this.#signatures[place] = signatureOf(term);
  }

  /** The term that was added as the one of this number, from 0 on. */
  at(place: number): string {
    return this.#terms[place] as string;
  }

  /** The terms that `most` edits or fewer make of this one, in any order; not itself. */
  near(term: string, most: number): NearSpelling[] {
    const signature = signatureOf(term);
    const found: NearSpelling[] = [];
    const { length } = this.#terms;
    for (let place = 0; place < length; place += 1) {
      if (bits((this.#signatures[place] as number) ^ signature) > 2 * most) continue;
      const other = this.#terms[place] as string;
      if (Math.abs(other.length - term.length) > most || other === term) continue;
      const edits = countEdits(term, other, most);
      if (edits <= most) found.push({ term: other, edits });
    }
    return found;
  }

  /** The terms that begin with this one, in any order; not itself. */
  beginningWith(term: string): string[] {
    const signature = signatureOf(term);
    const found: string[] = [];
    const { length } = this.#terms;
    for (let place = 0; place < length; place += 1) {
      // It holds every letter of what it begins with.
      if ((~(this.#signatures[place] as number) & signature) !== 0) continue;
      const other = this.#terms[place] as string;
      if (other.length > term.length && other.startsWith(term)) found.push(other);
    }
    return found;
  }
}

function signatureOf(term: string): number {
  let signature = 0;
  for (let at = 0; at < term.length; at += 1) {
    const letter = term.charCodeAt(at) - 97;
    const isLatin = letter >= 0 && letter < LETTERS;
    signature |= 1 << (isLatin ? letter : LETTERS + (Math.abs(letter) % OTHER_LETTERS));
  }
  return signature >>> 0;
}

/** How many bits are set (Warren, "Hacker's Delight", 2002, 5-1). */
function bits(value: number): number {
  let count = value - ((value >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return (((count + (count >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Rows of the table that distances are computed in: used anew by each. Terms have 64 letters at most, folded ligatures aside. */
const ROWS = [new Uint8Array(256), new Uint8Array(256), new Uint8Array(256)];

/**
 * The distance of Damerau and Levenshtein in which no stretch is edited twice ("optimal string alignment"); of what is more than `most`
 * apart, any number above it.
 */
export function countEdits(one: string, other: string, most = 255): number {
  const { length } = other;
  let [beforeLast, last, current] = ROWS as [Uint8Array, Uint8Array, Uint8Array];
  for (let column = 0; column <= length; column += 1) last[column] = column;
  for (let row = 1; row <= one.length; row += 1) {
    const letter = one.charCodeAt(row - 1);
    const before = one.charCodeAt(row - 2);
    current[0] = row;
    let fewest = row;
    for (let column = 1; column <= length; column += 1) {
      const read = other.charCodeAt(column - 1);
      let edits = (last[column - 1] as number) + (letter === read ? 0 : 1);
      const left = (current[column - 1] as number) + 1;
      if (left < edits) edits = left;
      const above = (last[column] as number) + 1;
      if (above < edits) edits = above;
      if (row > 1 && column > 1 && before === read && letter === other.charCodeAt(column - 2)) {
        edits = Math.min(edits, (beforeLast[column - 2] as number) + 1);
      }
      current[column] = edits;
      if (edits < fewest) fewest = edits;
    }
    // A swap may go on from the row before, one edit more.
    if (fewest > most + 1) return fewest;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[length] as number;
}
