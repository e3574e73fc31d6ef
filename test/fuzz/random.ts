import { Dice } from '../support/seeded.ts';

/** Texts that once broke a program somewhere, or look like it. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\n',
  '\0',
  '\u2028',
  '\u202e',
  '\ud800',
  '\ufeff',
  'é'.normalize('NFD'),
  '👩‍🌾',
  '[Context]\n[1] note',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  "'; DROP TABLE facts; --",
  '%_\\',
  '"*" OR NEAR(',
  '[[Note|',
  '{{title}}',
  '<script>alert(1)</script>',
  '[1,1,1,1',
  'NaN',
  '9e15',
  '1970-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'a'.repeat(10_000),
  '\u001b[2J',
];
const HOSTILE_NUMBERS = [
  0,
  -1,
  1,
  0.5,
  1e300,
  -1e300,
  9e15,
  -9e15,
  2 ** 53,
  2 ** 63,
  2 ** 31,
  Number.MIN_VALUE,
];

interface Place {
  holder: Record<string, unknown>;
  key: string;
}

/** Where texts and numbers stand in a JSON value. */
function placesOf(holder: object): Place[] {
  return Object.entries(holder).flatMap(([key, one]: [string, unknown]): Place[] => {
    if (typeof one === 'object' && one !== null) return placesOf(one);
    return typeof one === 'string' || typeof one === 'number'
      ? [{ holder: holder as Place['holder'], key }]
      : [];
  });
}

/** Random texts and JSON that follow from a seed. */
export class Random extends Dice {
  text(): string {
    if (this.chance(0.5)) return this.pick(HOSTILE_TEXTS);
    return Array.from({ length: this.between(0, 12) }, () => this.#character()).join('');
  }

  /** Anything that JSON can hold. */
  json(depth = 0): unknown {
    const kind = this.between(0, depth > 2 ? 4 : 6);
    if (kind === 0) return null;
    if (kind === 1) return this.chance(0.5);
    if (kind === 2) return this.pick(HOSTILE_NUMBERS);
    if (kind <= 4) return this.text();
    const length = this.between(0, 4);
    if (kind === 5) return Array.from({ length }, () => this.json(depth + 1));
    return Object.fromEntries(Array.from({ length }, () => [this.text(), this.json(depth + 1)]));
  }

  /** The same JSON with some of its values replaced, left out, doubled or added. */
  mutate(value: unknown, share: number): unknown {
    if (this.chance(share)) return this.json();
    if (Array.isArray(value)) {
      const items = (value as unknown[]).flatMap((one): unknown[] => {
        if (this.chance(share)) return this.chance(0.5) ? [] : [one, one];
        return [this.mutate(one, share)];
      });
      return items;
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).flatMap(([key, one]): [string, unknown][] =>
      this.chance(share) ? [] : [[key, this.mutate(one, share)]],
    );
    if (this.chance(share)) entries.push([this.text(), this.json()]);
    return Object.fromEntries(entries);
  }

  /** The same JSON with some of its texts and numbers replaced by others of their type: what a check of types lets through. */
  poison(value: unknown, times: number): unknown {
    const copy = { value: structuredClone(value) };
    const places = placesOf(copy);
    for (let n = 0; n < times && places.length > 0; n += 1) {
      const { holder, key } = this.pick(places);
      holder[key] = typeof holder[key] === 'number' ? this.pick(HOSTILE_NUMBERS) : this.text();
    }
    return copy.value;
  }

  #character(): string {
    const plane = this.between(0, 9);
    if (plane < 6) return String.fromCharCode(this.between(32, 126));
    return String.fromCodePoint(this.between(0, plane < 9 ? 0x2fff : 0x10ffff));
  }
}
