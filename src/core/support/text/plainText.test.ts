import { describe, expect, it } from 'vitest';
import { toPlainText } from './plainText.ts';

describe('toPlainText', () => {
  it.each([
    ['## Titre ##', 'Titre'],
    ['- [x] **gras** et *italique* et `code`', 'gras et italique et code'],
    ['> [!note] Un _avis_ important', 'Un avis important'],
    ['Voir [[Notes/Réunion#Suite|la suite]] et [[Autre]]', 'Voir la suite et Autre'],
    ['![[image.png]] [texte](https://exemple.fr/a_(b)) snake_case_name', 'image.png texte snake_case_name'],
    ['| a | b |\n|---|:--|\n| 1 | 2 |', 'a b\n1 2'],
    ['```js\nconst x = 1;\n```', 'const x = 1;'],
    ['Écrire `[[nom#Titre]]` ou `a | b`', 'Écrire [[nom#Titre]] ou a | b'],
    [':::: tip Attention\nTexte\n::::', 'tip Attention\nTexte'],
    ['Fin de ligne ^bloc-1', 'Fin de ligne'],
    ['<b>fort</b> <!-- caché --> 2 * 3 * 4', 'fort 2 * 3 * 4'],
    ['%%commentaire%% ==vu== ~~barré~~ note[^1]', 'commentaire vu barré note'],
  ])('reads %j', (markdown, text) => {
    expect(toPlainText(markdown)).toBe(text);
  });

  it('stays linear on hostile lines', () => {
    for (const line of [
      '['.repeat(50_000),
      '[['.repeat(50_000),
      '*'.repeat(100_000),
      '<a '.repeat(40_000),
      '_a'.repeat(50_000),
    ]) {
      expect(toPlainText(line).length).toBeLessThanOrEqual(line.length);
    }
  });
});
