import { describe, expect, test } from 'bun:test'

import { hostOf } from './host.ts'

describe('a host', () => {
  test.each([
    ['db.example.org', 'db.example.org'],
    ['DB.Example.org', 'db.example.org'],
    ['db-1', 'db-1'],
    ['localhost', 'localhost'],
    ['192.0.2.7', '192.0.2.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::1', '::1'],
  ])('is %s, written %s', (text, host) => expect(hostOf(text)).toBe(host))

  test.each([
    '',
    ' ',
    'a b',
    'db:5432',
    '[::1]',
    '::1]:80/[',
    '::1%eth0',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '192.0.2.256',
    '-a',
    'a.',
    '.a',
    'a/b',
    'a@b',
    'a_b',
    'bücher.example',
    'a\n',
  ])('is not %p', (text) => expect(hostOf(text)).toBeNull())
})
