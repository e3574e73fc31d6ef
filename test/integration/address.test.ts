import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSecret } from '../../src/shared/address.ts';

describe('withoutSecret', () => {
  it.each([
    ['http://user:password@host:1234/v1', 'http://host:1234/v1'],
    ['https://key@host/v1?a=b@c', 'https://host/v1?a=b@c'],
    ['http:user@host', 'http:host'],
    ['http:\\\\user@host/v1', 'http:\\\\host/v1'],
    ['ht\ttp://us\ner@host', 'http://host'],
    ['http://a@b@host', 'http://host'],
    ['http://host/a@b', null],
    ['http://host', null],
    ['', null],
  ])('of %j is %j', (address, clean) => expect(withoutSecret(address)).toBe(clean));

  it('finds what a browser finds', () => {
    const part = fc.string({ unit: fc.constantFrom(...'ab@:/\\?#\t %[1'.split('')), maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom('http:', 'https://', 'HTTP:\\\\', ' http://'), part, (scheme, rest) => {
        const address = scheme + rest;
        if (!URL.canParse(address)) return;
        const { username, password } = new URL(address);
        if (username !== '' || password !== '') expect(withoutSecret(address)).not.toBeNull();
        const clean = withoutSecret(address) ?? address;
        if (URL.canParse(clean)) expect(new URL(clean)).toMatchObject({ username: '', password: '' });
      }),
      { numRuns: 2_000 },
    );
  });
});
