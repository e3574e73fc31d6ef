import { describe, expect, it } from 'vitest';
import { parseLink } from './link.ts';

describe('parseLink', () => {
  it.each([
    ['/chat', { to: 'pane', pane: 'chat' }],
    ['/chat/conv_1', { to: 'pane', pane: 'chat', id: 'conv_1' }],
    ['/notes/note_é', null],
    ['/new', { to: 'new' }],
    ['/new?text=Caf%C3%A9%20%26%20th%C3%A9', { to: 'new', text: 'Café & thé' }],
    ['/new?text=un+deux%3F', { to: 'new', text: 'un deux?' }],
    ['/new?text=%E0%A4%A', { to: 'new' }],
    ['/palette', { to: 'palette' }],
    ['/capture', { to: 'capture' }],
    ['/capture/x', null],
    ['/nowhere', null],
    ['chat', null],
    ['/chat/a/b', null],
    ['', null],
    ['/chat/../settings', null],
    ['/settings/%2e%2e', null],
  ])('%s', (path, link) => expect(parseLink(path)).toEqual(link));
});
